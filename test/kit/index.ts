/** The entry point of the property-test kit, `store-orders/testing`: see docs/testing-kit.md. */

export type { ConcurrentOptions, ConcurrentResult } from './aggregate/concurrent.ts';
export type { Decision, Domain } from './aggregate/domain.ts';
export type { Appended, EventStore, Stored } from './aggregate/event-store.ts';
export type { BrokenRule } from './aggregate/histories.ts';
export {
  decodeItf,
  type ItfState,
  type ItfTrace,
  type ItfValue,
  itfTraces,
} from './aggregate/itf.ts';
export { type Kit, kitFor } from './aggregate/kit.ts';
export type { StoreResult } from './aggregate/store-check.ts';
export type { Target as AggregateTarget } from './aggregate/target.ts';
export {
  CLOSE_DATES,
  commandsTo,
  eventsOf,
  FEW_DATES,
  fewIds,
  INT64_EDGES,
  instants,
  int64s,
  orders,
  placings,
  quantities,
  shippings,
} from './arbitraries.ts';
export {
  assertHolds,
  type CheckOptions,
  type CheckResult,
  type Counterexample,
  check,
} from './check.ts';
export {
  type CheckReport,
  type ConformanceOptions,
  type Report,
  runConformance,
  workOf,
} from './conformance/conformance.ts';
export { asJUnit, asText } from './conformance/report.ts';
export {
  everyInterleaving,
  everySchedule,
  everySequence,
  inChunks,
} from './exhaustive.ts';
export { type IllegalHistory, illegalHistories, legalHistories } from './histories.ts';
export type {
  Answer,
  History,
  Operation,
  Reason,
  Request,
  Row,
} from './history/history.ts';
export { decodeHistory, encodeHistory } from './history/history-file.ts';
export { type Caller, HttpCaller } from './history/http-caller.ts';
export { Recorder } from './history/recorder.ts';
export { runWorkload, type Workload } from './history/workload.ts';
export { check as checkHistory } from './linearizability/check.ts';
export { describeViolation } from './linearizability/timeline.ts';
export {
  RULES as HISTORY_CHECKS,
  type Violation as HistoryViolation,
} from './linearizability/violation.ts';
export {
  type Interval,
  type Linearization,
  linearize,
  linearizeInTurns,
  type SearchLimits,
  type Specification,
  type TurnLimits,
  type Undecided,
} from './linearizability/wing-gong.ts';
export { brokenHistoryRule, HISTORY_RULES, type HistoryRule } from './oracle/history.ts';
export { brokenListRule, brokenOrderRule } from './oracle/list-rules.ts';
export { wrongWithError, wrongWithOrder } from './oracle/shapes.ts';
export { type Expected, OracleStore } from './oracle/store.ts';
export { ask, NO_ORDER, type OrderRow, type Status } from './oracle/table.ts';
export { ORDERS, ORDERS_WITH_REASONS, orderTarget } from './orders.ts';
export type { ConcurrentProgram, Name, Program, Step } from './program.ts';
export { bundles, concurrentPrograms, type ProgramOptions, programs } from './programs.ts';
export { Run } from './run.ts';
export { asScript } from './script.ts';
export { orderProgramOf } from './spec/programs.ts';
export { type ReplayOptions, replayTrace, TRACE_RULES } from './spec/replay.ts';
export { type Recorded, type Session, type Target, type Told, Violation } from './target.ts';
export { type Decider, deciderTarget } from './targets/decider.ts';
export { type HttpOptions, httpSession, httpTarget, listenerTarget } from './targets/http.ts';
export type { Adapter, Placing, Server } from './targets/orders-api.ts';
export { type StoreUnderTest, storeTarget } from './targets/store.ts';
export type {
  CancelOrder,
  Command,
  Order,
  OrderEvent,
  PlaceOrder,
  Rejection,
  ShipOrder,
} from './vocabulary.ts';
