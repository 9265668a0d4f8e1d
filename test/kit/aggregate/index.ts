/** The entry point of the kit for any aggregate: see docs/testing-any-aggregate.md. */

export {
  type Interval,
  type Linearization,
  linearize,
  linearizeInTurns,
  type SearchLimits,
  type Specification,
  type TurnLimits,
  type Undecided,
} from '../linearizability/wing-gong.ts';
export type { ConcurrentOptions, ConcurrentResult } from './concurrent.ts';
export type { Decider, Decision, Domain } from './domain.ts';
export { type Appended, type EventStore, STORE_RULES, type Stored } from './event-store.ts';
export type { FindOptions } from './find.ts';
export { type BrokenRule, HISTORY_RULES, type IllegalHistory } from './histories.ts';
export { decodeItf, type ItfState, type ItfTrace, type ItfValue, itfTraces } from './itf.ts';
export {
  type CheckOptions,
  type CheckResult,
  type Counterexample,
  type Kit,
  kitFor,
} from './kit.ts';
export { letterOf, type Name, type Program, type Step } from './program.ts';
export type { ProgramOptions } from './programs.ts';
export { RULES } from './run.ts';
export type { Given, Then } from './scenario.ts';
export type { Call, Known } from './specification.ts';
export type { StoreOptions, StoreResult } from './store-check.ts';
export type { StoreOperation } from './store-operations.ts';
export { deciderTarget, type Request, type Session, type Target, type Told } from './target.ts';
export { Violation } from './violation.ts';
