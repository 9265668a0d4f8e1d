/** The order of checkpoints, in which the log of each has to begin with that of the one before it. */
import type { Material } from './material.ts';

/** Returns the number of events of a checkpoint, as its text says it. */
export function sizeOf(note: string): number {
  return Number(note.split('\n')[1]);
}

/**
 * Returns each checkpoint with the next one, by epoch and size: if all pairs are consistent, any two are.
 * The texts are not verified.
 */
export function pairsOf(notes: readonly string[]): readonly (readonly [string, string])[] {
  const sorted = notes.toSorted((one, other) => {
    return epochOf(one) - epochOf(other) || sizeOf(one) - sizeOf(other);
  });
  return sorted.slice(1).map((note, at) => [sorted[at] ?? note, note]);
}

/** Returns the material that two checkpoints are compared with, in the order in which it was given. */
export function besideOf(
  pair: readonly [string, string],
  given: readonly Material[],
): readonly Material[] {
  const [from, to] = pair.map(sizeOf).sort((size, larger) => size - larger);
  return given.filter((each) => {
    return each.kind === 'consistency'
      ? each.from === from && each.to === to
      : each.kind === 'breaks';
  });
}

/** Returns the number of an epoch, which the origin has behind a plus sign. */
function epochOf(note: string): number {
  const [origin = ''] = note.split('\n', 1);
  return Number.parseInt(origin.split('+')[1] ?? '0', 10);
}
