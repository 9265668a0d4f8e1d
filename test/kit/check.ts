import { closing } from './aggregate/closing.ts';
import { type FindOptions, find } from './aggregate/find.ts';
import { requireMethods } from './aggregate/form.ts';
import { isCount, type OptionChecks, requireOptions, SEARCH_OPTIONS } from './aggregate/options.ts';
import { causeIn, nothingChecked } from './aggregate/violation.ts';
import { type Program, requireProgram } from './program.ts';
import { bundles, type ProgramOptions } from './programs.ts';
import { Run } from './run.ts';
import { asScript } from './script.ts';
import { type Target, Violation } from './target.ts';

export interface CheckOptions extends ProgramOptions, FindOptions {
  /** Programs to run once each instead of drawn ones, such as those of recorded traces, one at a time. */
  readonly programs?: readonly Program[];
  /** The number of concurrent programs, each on its own orders; default 1. `runs` counts each. */
  readonly together?: number;
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
  /** The error of the target, if it threw one. */
  readonly cause?: unknown;
  /** Usually one program; several if the violation needs concurrency. */
  readonly programs: readonly Program[];
  readonly seed: number;
  /** fast-check's path to the counterexample, which replays it together with the seed. */
  readonly path: string;
  /** The seed and the path, or the number of the given program, in words. */
  readonly origin: string;
  /** The program as a shell script. */
  readonly script: string;
}

const OPTIONS: OptionChecks<CheckOptions> = {
  ...SEARCH_OPTIONS,
  ...{ maxOrders: isCount, together: isCount, advance: () => undefined },
};

/** Draws programs and runs them against a target until one violates a rule; shrinks that one. */
export async function check(target: Target, options: CheckOptions = {}): Promise<CheckResult> {
  requireOptions(options, OPTIONS);
  const { programs: given, runs = 100, together = 1, advance } = options;
  given?.forEach(requireProgram);
  let steps = 0;
  let done = 0;
  const attempt = async (bundle: readonly Program[]) => {
    const session = await target.open();
    requireMethods('what open has returned', session, ['perform']);
    const run = new Run(session);
    try {
      await closing(session, () => run.together(bundle));
    } finally {
      steps += run.steps;
      done += bundle.length;
      advance?.(done);
    }
  };
  const bundled = {
    ...options,
    runs: Math.ceil(runs / together),
    ...(given && { given: given.map((program) => [program]) }),
  };
  const { seed, isInterrupted, counterexample } = await find(
    bundles(together, options),
    attempt,
    bundled,
  );
  if (counterexample === undefined) return { seed, runs: done, steps, isInterrupted };
  const { value: programs, begun: _, ...why } = counterexample;
  const script = asScript(programs, { seed, ...why });
  return {
    seed,
    runs: done,
    steps,
    isInterrupted,
    counterexample: { ...why, programs, seed, script },
  };
}

/** Like {@link check}, but throws the counterexample, and if no step was run: for tests. */
export async function assertHolds(
  target: Target,
  options: CheckOptions = {},
): Promise<CheckResult> {
  const result = await check(target, options);
  const { counterexample, steps } = result;
  if (counterexample === undefined) {
    if (steps > 0) return result;
    throw nothingChecked(target.name, 'no step was run');
  }
  const { rule, detail, script } = counterexample;
  const text = `${target.name}: not so: ${rule}: ${detail}\n\n${script}`;
  throw new Violation(rule, text, script, causeIn(counterexample));
}
