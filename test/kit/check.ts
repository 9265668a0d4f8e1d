import fc from 'fast-check';
import type { Program } from './program.ts';
import { bundles, type ProgramOptions } from './programs.ts';
import { Run } from './run.ts';
import { asScript } from './script.ts';
import { type Target, Violation } from './target.ts';

export interface CheckOptions extends ProgramOptions {
  /** How many programs; 100 unless told. */
  readonly runs?: number;
  /** The same seed draws the same programs; a new one unless told. */
  readonly seed?: number;
  /** With the seed, goes straight to a counterexample that was found before. */
  readonly path?: string;
  /** How many programs run at once, each on its own orders; 1 unless told. */
  readonly together?: number;
  /** Is told how many programs have run. */
  readonly advance?: (runs: number) => void;
}

export interface CheckResult {
  readonly seed: number;
  readonly runs: number;
  readonly steps: number;
  /** The shortest program that was found to break a rule, if any. */
  readonly counterexample?: Counterexample;
}

export interface Counterexample {
  readonly rule: string;
  readonly detail: string;
  /** Mostly one; several where it takes several at once. */
  readonly programs: readonly Program[];
  readonly seed: number;
  /** Where fast-check has found it: with the seed, it goes straight there. */
  readonly path: string;
  /** The program as a script to paste into a shell. */
  readonly script: string;
}

/** Draws programs and runs them against a target, until one breaks a rule; shrinks that one. */
export async function check(target: Target, options: CheckOptions = {}): Promise<CheckResult> {
  const { runs = 100, together = 1, seed = Date.now() & 0x7fffffff, path, advance } = options;
  let steps = 0;
  let done = 0;
  const details = await fc.check(
    fc.asyncProperty(bundles(together, options), async (bundle) => {
      const session = await target.open();
      const run = new Run(session);
      try {
        await run.together(bundle);
      } finally {
        steps += run.steps;
        done += bundle.length;
        advance?.(done);
        await session.close?.();
      }
    }),
    { seed, numRuns: Math.ceil(runs / together), ...(path !== undefined && { path }) },
  );
  if (!details.failed) return { seed, runs: done, steps };
  const [found = []] = details.counterexample ?? [];
  const foundAt = details.counterexamplePath ?? '';
  const { rule, detail } = brokenBy(details.errorInstance);
  const script = asScript(found, { seed, path: foundAt, rule, detail });
  return {
    seed,
    runs: done,
    steps,
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

/** The rule that was broken, whatever was thrown. */
export function brokenBy(error: unknown): { readonly rule: string; readonly detail: string } {
  if (error instanceof Violation) return { rule: error.rule, detail: error.message };
  const detail = error instanceof Error ? error.message : String(error);
  return { rule: 'nothing fails', detail };
}
