import type { Name } from './program.ts';

/** The candidates for a smaller failing sequence of steps, for steps of any kind. */

/** The operations that shrinking needs on a step. */
export interface StepLanguage<Step> {
  /** Returns the aggregate that a step is about, if it is about one. */
  nameOf(step: Step): Name | undefined;
  /** Returns the step about another aggregate. Called for steps that are about one. */
  renamed(step: Step, to: Name): Step;
  /** Yields steps with plainer values, the plainest first. */
  plainer(step: Step): Iterable<Step>;
}

/** The largest number of steps of which each pair is omitted: some steps matter only as a pair. */
const FEW_STEPS = 12;

/** Yields sequences with fewer steps, the largest reductions first. */
export function* withFewerSteps<Step>(steps: readonly Step[]): IterableIterator<readonly Step[]> {
  const { length } = steps;
  for (let size = length >> 1; size >= 1; size >>= 1) {
    // Usually the last step fails, so the first steps are omitted first.
    for (let from = 0; from < length; from += size) {
      yield [...steps.slice(0, from), ...steps.slice(from + size)];
    }
  }
  if (length > FEW_STEPS) return;
  for (let first = 0; first < length; first++) {
    for (let second = first + 2; second < length; second++) {
      yield steps.filter((_, index) => index !== first && index !== second);
    }
  }
}

/** Returns the names in some steps, in order. */
export function namesIn<Step>(
  language: StepLanguage<Step>,
  steps: readonly Step[],
): readonly Name[] {
  return [...new Set(steps.flatMap((step) => language.nameOf(step) ?? []))].sort((a, b) => a - b);
}

/** Returns the same steps about other aggregates. */
export function renameAll<Step>(
  language: StepLanguage<Step>,
  steps: readonly Step[],
  to: (name: Name) => Name,
): readonly Step[] {
  return steps.map((step) => {
    const name = language.nameOf(step);
    return name === undefined || to(name) === name ? step : language.renamed(step, to(name));
  });
}

/** Yields sequences in which one aggregate takes the place of another. */
export function* withFewerNames<Step>(
  language: StepLanguage<Step>,
  steps: readonly Step[],
): IterableIterator<readonly Step[]> {
  const names = namesIn(language, steps);
  for (const name of names) {
    for (const other of names.filter((each) => each < name)) {
      yield renameAll(language, steps, (each) => (each === name ? other : each));
    }
  }
}

/**
 * Yields sequences with plainer values: all at once first, then one by one, then those of two steps
 * that depend on each other, such as a deposit and a withdrawal.
 */
export function* withPlainerValues<Step>(
  language: StepLanguage<Step>,
  steps: readonly Step[],
): IterableIterator<readonly Step[]> {
  const plain = steps.map((step) => firstOf(language.plainer(step)) ?? step);
  if (plain.some((step, index) => step !== steps[index])) yield plain;
  for (const [index, step] of steps.entries()) {
    for (const candidate of language.plainer(step)) yield steps.with(index, candidate);
  }
  if (steps.length > FEW_STEPS) return;
  const values = steps.map((step) => [...language.plainer(step)]);
  yield* withOneOmittedForAnother(steps, values);
  yield* withTwoPlainer(steps, values);
}

/** Yields sequences in which one step is omitted, and another has a plainer value. */
function* withOneOmittedForAnother<Step>(
  steps: readonly Step[],
  values: readonly (readonly Step[])[],
): IterableIterator<readonly Step[]> {
  for (const [index, plainer] of values.entries()) {
    for (const candidate of plainer) {
      const changed = steps.with(index, candidate);
      for (let other = 0; other < steps.length; other++) {
        if (other !== index) yield changed.toSpliced(other, 1);
      }
    }
  }
}

/**
 * Yields sequences in which two steps have plainer values, those at equal distances from the end of both
 * lists. As the values of a list halve the distance to the present one, two numbers keep their difference.
 */
function* withTwoPlainer<Step>(
  steps: readonly Step[],
  values: readonly (readonly Step[])[],
): IterableIterator<readonly Step[]> {
  for (const [first, plainer] of values.entries()) {
    for (let second = first + 1; second < values.length; second++) {
      const others = values[second] ?? [];
      for (let back = Math.min(plainer.length, others.length); back >= 1; back--) {
        const [one, other] = [plainer.at(-back), others.at(-back)];
        if (one && other) yield steps.with(first, one).with(second, other);
      }
    }
  }
}

/**
 * Yields candidates for a smaller failing sequence: with fewer steps, or as many steps and fewer
 * aggregates, or as many of both and plainer values. So shrinking ends, with a sequence of which nothing
 * can be omitted.
 */
export function* simplerSteps<Step>(
  language: StepLanguage<Step>,
  steps: readonly Step[],
): IterableIterator<readonly Step[]> {
  yield* withFewerSteps(steps);
  const names = namesIn(language, steps);
  // Names without gaps: A, B, C.
  if (names.some((name, index) => name !== index)) {
    yield renameAll(language, steps, (name) => names.indexOf(name));
  }
  yield* withFewerNames(language, steps);
  yield* withPlainerValues(language, steps);
}

function firstOf<Item>(items: Iterable<Item>): Item | undefined {
  for (const item of items) return item;
  return undefined;
}

/** Yields smaller bundles: fewer parts first, then simpler ones. */
export function* simplerBundles<Part>(
  bundle: readonly Part[],
  simpler: (part: Part) => Iterable<Part>,
): IterableIterator<readonly Part[]> {
  const { length } = bundle;
  // One part, the larger parts first; then all but one part.
  for (let size = length >> 1; size >= 1; size >>= 1) {
    for (let from = 0; from < length; from += size) yield bundle.slice(from, from + size);
  }
  for (let size = length >> 1; size >= 1 && length > 2; size >>= 1) {
    for (let from = 0; from < length; from += size) {
      yield [...bundle.slice(0, from), ...bundle.slice(from + size)];
    }
  }
  for (const [index, part] of bundle.entries()) {
    for (const candidate of simpler(part)) yield bundle.with(index, candidate);
  }
}
