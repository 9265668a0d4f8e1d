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

/** Returns the letter of an aggregate; after Z come A1, B1 and so on. */
export function letterOf(name: Name): string {
  const round = Math.floor(name / 26);
  return `${String.fromCharCode(65 + (name % 26))}${round === 0 ? '' : round}`;
}
