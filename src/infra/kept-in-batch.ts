import type { KeptOutcome, KeptOutcomes, OutcomeName } from '../app/ports/event-log.ts';

/** The outcomes that one append was asked for, and those that it keeps. */
export class KeptInBatch implements KeptOutcomes {
  /** What is to be recorded with the events. */
  readonly added: KeptOutcome[] = [];
  readonly #known = new Map<string, KeptOutcome | undefined>();

  /** @param find What was kept before. */
  constructor(asked: readonly OutcomeName[], find: (name: OutcomeName) => KeptOutcome | undefined) {
    for (const name of asked) this.#known.set(nameOf(name), find(name));
  }

  recall(by: string, key: string): KeptOutcome | undefined {
    const name = nameOf({ by, key });
    if (!this.#known.has(name)) throw new Error(`the outcome ${name} was not asked for`);
    return this.#known.get(name);
  }

  keep(outcome: KeptOutcome): void {
    this.added.push(outcome);
    this.#known.set(nameOf(outcome), outcome);
  }
}

/** One text for both parts of a name. */
export function nameOf({ by, key }: OutcomeName): string {
  return JSON.stringify([by, key]);
}
