/** The outcomes of commands, by idempotency key, during one append. */

import type { KeptOutcome, KeptOutcomes, OutcomeName } from '../../app/ports/event-log.ts';

/** The outcomes kept before that one append may recall, and those that it adds. */
export class KeptInBatch implements KeptOutcomes {
  /** The outcomes to be recorded with the events of the append. */
  readonly added: KeptOutcome[] = [];
  readonly #known = new Map<string, KeptOutcome | undefined>();

  /**
   * @param requested The names that the append may recall; others throw an Error.
   * @param find Returns an outcome that was kept before.
   */
  constructor(
    requested: readonly OutcomeName[],
    find: (name: OutcomeName) => KeptOutcome | undefined,
  ) {
    for (const name of requested) this.#known.set(nameText(name), find(name));
  }

  recall(by: string, key: string): KeptOutcome | undefined {
    const name = nameText({ by, key });
    if (!this.#known.has(name)) throw new Error(`the outcome ${name} was not asked for`);
    return this.#known.get(name);
  }

  keep(outcome: KeptOutcome): void {
    this.added.push(outcome);
    this.#known.set(nameText(outcome), outcome);
  }
}

/** Returns an outcome's name as one text, unique for its two parts. */
export function nameText({ by, key }: OutcomeName): string {
  return JSON.stringify([by, key]);
}
