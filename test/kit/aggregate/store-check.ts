import type { Arbitrary } from 'fast-check';
import { closing } from './closing.ts';
import type { EventStore } from './event-store.ts';
import { type FindOptions, find } from './find.ts';
import type { Progress } from './progress.ts';
import { onLines, replayOf } from './script.ts';
import { inWords, requireOperations, type StoreOperation } from './store-operations.ts';
import { StorePrograms } from './store-programs.ts';
import { StoreRun } from './store-run.ts';

/** Properties of event stores. */

export interface StoreOptions<Event> extends FindOptions {
  /** The maximum number of operations of a program; default 20. */
  readonly maxSteps?: number;
  /** Operations to run once each instead of drawn ones, on a new store each. */
  readonly programs?: readonly (readonly StoreOperation<Event>[])[];
}

export interface StoreResult<Event = unknown> {
  readonly seed: number;
  readonly runs: number;
  /**
   * The number of operations run, without those that the store does not support, and those before anything
   * was appended that repeat or reopen.
   */
  readonly steps: number;
  readonly isInterrupted: boolean;
  readonly counterexample?: {
    readonly rule: string;
    readonly detail: string;
    /** The call of the store that threw, in words; absent if nothing was thrown. */
    readonly call?: string;
    /** What it threw. */
    readonly cause?: unknown;
    /** The operations that were begun. */
    readonly operations: readonly StoreOperation<Event>[];
    /** The operations in words, one a line. */
    readonly script: string;
    /** The options that run them again, as a JavaScript expression. */
    readonly replay: string;
    readonly path: string;
    /** The seed and the path, or the number of the given program, in words. */
    readonly origin: string;
  };
}

/** Runs random operations on a store and a Map of streams, until the two differ; shrinks those. */
export async function checkEventStore<Event>(
  open: () => Promise<EventStore<Event>>,
  events: Arbitrary<Event>,
  { programs, maxSteps, ...options }: StoreOptions<Event> = {},
): Promise<StoreResult<Event>> {
  programs?.forEach(requireOperations);
  let [runs, steps] = [0, 0];
  const attempt = async (ops: readonly StoreOperation<Event>[], progress: Progress) => {
    runs += 1;
    progress.calls('open');
    const run = new StoreRun(await open(), progress);
    const all = () => {
      return run.program(ops, (count) => {
        steps += count;
      });
    };
    await closing(run, all, () => progress.calls('close'));
  };
  const { seed, isInterrupted, counterexample } = await find(
    new StorePrograms(events, maxSteps),
    attempt,
    {
      ...options,
      ...(programs && { given: programs }),
    },
  );
  const done = { seed, runs, steps, isInterrupted };
  if (counterexample === undefined) return done;
  const { value, begun, ...found } = counterexample;
  // Without the operations that never ran.
  const operations = value.slice(0, begun);
  const script = operations.map(inWords).join('\n');
  const replay = replayOf(onLines(operations.map(withoutAbsent)));
  return { ...done, counterexample: { ...found, operations, script, replay } };
}

/** Returns an operation without the members that are undefined: they are those that it does not have. */
function withoutAbsent(op: object): object {
  return Object.fromEntries(Object.entries(op).filter(([, member]) => member !== undefined));
}
