import fc from 'fast-check';
import type { Program } from './program.ts';
import { bundles, type ProgramOptions } from './programs.ts';
import { Run } from './run.ts';
import { asScript } from './script.ts';
import { type Target, Violation } from './target.ts';

export interface CheckOptions extends ProgramOptions {
  /** The number of programs; default 100. */
  readonly runs?: number;
  /** The seed that determines the programs; default random. */
  readonly seed?: number;
  /** With the seed, replays a counterexample that was found before. */
  readonly path?: string;
  /** The number of concurrent programs, each on its own orders; default 1. */
  readonly together?: number;
  /** The time after which no more programs run, in milliseconds; default none. */
  readonly timeLimitMs?: number;
  /** The time for which a counterexample is shrunk, in milliseconds; default as long as it takes. */
  readonly shrinkMs?: number;
  /** Called with the number of programs that have run. */
  readonly advance?: (runs: number) => void;
}

export interface CheckResult {
  readonly seed: number;
  readonly runs: number;
  readonly steps: number;
  /** True if the time was over before all programs had run. */
  readonly isInterrupted: boolean;
  /** The shortest program found that violates a rule, if any. */
  readonly counterexample?: Counterexample;
}

export interface Counterexample {
  readonly rule: string;
  readonly detail: string;
  /** Usually one program; several if the violation needs concurrency. */
  readonly programs: readonly Program[];
  readonly seed: number;
  /** fast-check's path to the counterexample, which replays it together with the seed. */
  readonly path: string;
  /** The program as a shell script. */
  readonly script: string;
}

/** Draws programs and runs them against a target until one violates a rule; shrinks that one. */
export async function check(target: Target, options: CheckOptions = {}): Promise<CheckResult> {
  const { runs = 100, together = 1, seed = Date.now() & 0x7fffffff, path, advance } = options;
  const { timeLimitMs, shrinkMs = Number.POSITIVE_INFINITY } = options;
  const shrinking = shrinkingFor(shrinkMs);
  let steps = 0;
  let done = 0;
  const details = await fc.check(
    fc.asyncProperty(bundles(together, options), async (bundle) => {
      shrinking.continues();
      const session = await target.open();
      const run = new Run(session);
      try {
        await run.together(bundle);
      } catch (error) {
        shrinking.begins();
        throw error;
      } finally {
        steps += run.steps;
        done += bundle.length;
        advance?.(done);
        await session.close?.();
      }
    }),
    {
      ...{ seed, numRuns: Math.ceil(runs / together) },
      ...(path !== undefined && { path }),
      ...(timeLimitMs !== undefined && { interruptAfterTimeLimit: timeLimitMs }),
    },
  );
  const isInterrupted = details.interrupted;
  if (details.counterexample === null) return { seed, runs: done, steps, isInterrupted };
  const [found] = details.counterexample;
  const foundAt = details.counterexamplePath ?? '';
  const { rule, detail } = brokenBy(details.errorInstance);
  const script = asScript(found, { seed, path: foundAt, rule, detail });
  return {
    seed,
    runs: done,
    steps,
    isInterrupted,
    counterexample: { rule, detail, programs: found, seed, path: foundAt, script },
  };
}

/** Like {@link check}, but throws the counterexample: for tests. */
export async function assertHolds(
  target: Target,
  options: CheckOptions = {},
): Promise<CheckResult> {
  const result = await check(target, options);
  const { counterexample } = result;
  if (counterexample === undefined) return result;
  const { rule, detail, script } = counterexample;
  throw new Violation(rule, `${target.name}: not so: ${rule}: ${detail}\n\n${script}`);
}

/** Returns the violated rule for anything that was thrown. */
export function brokenBy(error: unknown): { readonly rule: string; readonly detail: string } {
  if (error instanceof Violation) return { rule: error.rule, detail: error.message };
  const detail = error instanceof Error ? error.message : String(error);
  return { rule: 'nothing fails', detail };
}

/**
 * Bounds the time of shrinking: once it is over, fast-check rejects every further candidate without
 * a run, and so ends with the smallest one that it has found.
 */
export function shrinkingFor(limitMs: number) {
  let begun: number | undefined;
  return {
    /** Notes the first failure. */
    begins: () => {
      begun ??= performance.now();
    },
    /** Throws fast-check's precondition failure if the time is over. */
    continues: () => fc.pre(begun === undefined || performance.now() - begun < limitMs),
  };
}
