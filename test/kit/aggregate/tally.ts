import type { Call } from './specification.ts';

/** Counts the calls that were answered: a history without answers is always linearizable. */
export class AnswerTally {
  readonly #answered = new Set<string>();
  readonly #failed = new Map<string, string>();
  readonly #unanswered: Record<string, number> = {};

  add(calls: readonly Call<unknown, unknown>[]): void {
    for (const { asked, answer } of calls) {
      if (answer.kind === 'unknown') {
        this.#failed.set(asked.do, answer.why);
        this.#unanswered[answer.why] = (this.#unanswered[answer.why] ?? 0) + 1;
      } else if (answer.kind !== 'recorded') this.#answered.add(asked.do);
    }
  }

  /** Returns true if a command, or a look, was answered. */
  isAnswered(kind: 'command' | 'look'): boolean {
    return this.#answered.has(kind);
  }

  /** The number of calls without an answer, by the messages of their errors, if there are any. */
  get unanswered(): Readonly<Record<string, number>> | undefined {
    return this.#failed.size === 0 ? undefined : { ...this.#unanswered };
  }

  /** Returns a violation if commands were sent and none was answered, or if all looks failed. */
  violation(): string | undefined {
    for (const kind of ['command', 'look']) {
      const why = this.#failed.get(kind);
      if (why === undefined || this.#answered.has(kind)) continue;
      return `no ${kind} was answered, which shows nothing; the last one failed: ${why}`;
    }
    return undefined;
  }
}
