import type { Domain } from './domain.ts';
import type { WatchedDecider } from './form.ts';
import { letterOf, type Name, type Program } from './program.ts';
import { outcomeOf, printed } from './run.ts';
import { allApart, asExpression } from './text.ts';
import { brokenBy } from './violation.ts';

/** The violation and the origin of a counterexample. */
export interface Origin {
  /** The seed and the path, or the given program, in words. */
  readonly origin: string;
  readonly rule: string;
  readonly detail: string;
  /** The call of the user's code that threw, in words; absent if nothing was thrown. */
  readonly call?: string;
}

/**
 * Returns, as a JavaScript expression, the options that run one program again.
 * @param program The program, as an expression.
 */
export function replayOf(program: string): string {
  return `{\n  programs: [${program}],\n}`;
}

/** Returns an array as a JavaScript expression with an item a line. */
export function onLines(items: readonly unknown[]): string {
  return `[\n${items.map((item) => `    ${asExpression(item)},\n`).join('')}  ]`;
}

/**
 * Returns a program as lines: each step, and what the model answers to it.
 * @param model The domain's, which has the first initial state although a decider may have changed it in place.
 */
export function asScript<State, Command, Event>(
  domain: Domain<State, Command, Event>,
  model: WatchedDecider<State, Command, Event>,
  { steps }: Program<Command>,
  { origin, rule, detail, call }: Origin,
): string {
  const streams = new Map<Name, readonly Event[]>();
  const texts = allApart(
    steps.map((step) => (step.do === 'command' ? printed(domain, step.command, step.on) : '')),
  );
  const lines = steps.map((step, index) => {
    if (step.do === 'restart') return 'restart';
    if (step.do === 'look') return `${letterOf(step.on)}: look`;
    const before = streams.get(step.on) ?? [];
    const what = texts[index];
    try {
      const decision = model.decide("the model's decision", step.command, before);
      if (decision.kind === 'accepted') streams.set(step.on, [...before, ...decision.events]);
      return `${what}  # ${outcomeOf(decision)}`;
    } catch (error) {
      // That may be the violation that the script shows.
      return `${what}  # the model fails: ${brokenBy(error).detail}`;
    }
  });
  const about = [`# Broken: ${rule}`, `# ${detail.replaceAll('\n', '\n# ')}`];
  if (call !== undefined) about.push(`# ${thrownBy(call)}`);
  return `${[...about, `# ${origin}`, ...lines].join('\n')}\n`;
}

/** Returns in words which call of the user's code threw. */
export function thrownBy(call: string): string {
  return `Thrown by ${call.replaceAll('\n', ' ')}.`;
}
