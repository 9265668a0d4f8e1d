/** The order of checkpoints, in which the log of each has to begin with that of the one before it. */
import type { Material } from './material.ts';

/** Returns the number of events of a checkpoint, as its text says it. */
export function sizeOf(note: string): number {
  return Number(note.split('\n')[1]);
}

/**
 * Returns each checkpoint with the next one, by epoch and size, and with each later one that a proof
 * among the material leads to. The texts are not verified.
 */
export function pairsOf(
  notes: readonly string[],
  given: readonly Material[] = [],
): readonly (readonly [string, string])[] {
  const sorted = notes.toSorted((one, other) => {
    return epochOf(one) - epochOf(other) || sizeOf(one) - sizeOf(other);
  });
  const sizes = sorted.map(sizeOf);
  const placesOf = grouped(sizes.map((size, place) => [size, place]));
  const proved = grouped(given.filter(leads).map(({ from, to }) => [from, to]));
  // Not each with all others: somebody may have kept the checkpoints of years.
  return sorted.flatMap((older, at) => {
    const reached = [...(proved.get(Number(sizes[at])) ?? [])];
    const places = reached.flatMap((size) => [...(placesOf.get(size) ?? [])]);
    const later = places.filter((place) => place > at + 1).sort((one, other) => one - other);
    return [at + 1, ...later].flatMap((place) => {
      const newer = sorted[place];
      return newer === undefined ? [] : [[older, newer] as const];
    });
  });
}

/** Returns the second numbers of pairs by their first ones. */
function grouped(pairs: readonly (readonly [number, number])[]): Map<number, Set<number>> {
  const groups = new Map<number, Set<number>>();
  for (const [name, item] of pairs) groups.set(name, (groups.get(name) ?? new Set()).add(item));
  return groups;
}

export type Consistency = Extract<Material, { readonly kind: 'consistency' }>;

/** Returns true for a proof without which two checkpoints of its sizes cannot be compared. */
function leads(each: Material): each is Consistency {
  return each.kind === 'consistency' && each.from > 0 && each.from < each.to;
}

/** Returns true for a proof without which these two checkpoints cannot be compared. */
export function isBetween(proof: Consistency, [older, newer]: readonly [string, string]): boolean {
  return leads(proof) && proof.from === sizeOf(older) && proof.to === sizeOf(newer);
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
