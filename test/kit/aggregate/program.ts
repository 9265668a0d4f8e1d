/**
 * Programs: sequences of steps of clients. A program names aggregates by letters, like the variables of
 * a script, so that the same program runs whoever chooses their ids.
 */

/** The index of an aggregate: 0 is A, 1 is B, and so on. */
export type Name = number;

export type Step<Command> =
  | { readonly do: 'command'; readonly on: Name; readonly command: Command }
  /** An aggregate is read. */
  | { readonly do: 'look'; readonly on: Name }
  /** The process is killed, and another one continues with the stored data. */
  | { readonly do: 'restart' };

export interface Program<Command> {
  readonly steps: readonly Step<Command>[];
}

const KINDS: readonly Step<unknown>['do'][] = ['command', 'look', 'restart'];

/** Throws a RangeError unless all kinds are those of steps. */
export function requireKinds(kinds: readonly unknown[]): void {
  for (const kind of kinds) {
    if (KINDS.some((each) => each === kind)) continue;
    throw new RangeError(`a step does one of ${KINDS.join(', ')}, and not ${kind}`);
  }
}

/** Throws a RangeError unless a program that a user has written can run. */
export function requireProgram(program: Program<unknown>): void {
  const { steps } = Object(program) as Program<unknown>;
  if (!Array.isArray(steps)) throw new RangeError('a program has steps, which are an array');
  requireKinds(steps.map((step) => step.do));
  for (const step of steps) {
    if (step.do === 'restart') continue;
    if (!(Number.isSafeInteger(step.on) && step.on >= 0)) {
      throw new RangeError(`a step is on an aggregate, 0 or more, and not on ${step.on}`);
    }
    if (step.do === 'command' && !('command' in step)) {
      throw new RangeError('a step that does a command must have one');
    }
  }
}

/** Returns the letter of an aggregate; after Z come A1, B1 and so on. */
export function letterOf(name: Name): string {
  const round = Math.floor(name / 26);
  return `${String.fromCharCode(65 + (name % 26))}${round === 0 ? '' : round}`;
}
