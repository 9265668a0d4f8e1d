import {
  KEPT_REFUSALS,
  type KeptRefusal,
  type RefusalRecord,
  type RefusalTrail,
} from '../../app/ports/refusal-trail.ts';

/** The trail of refusals in memory. */
export class MemoryRefusals implements RefusalTrail {
  readonly #most: number;
  #kept: KeptRefusal[] = [];
  #last = 0;

  constructor(most = KEPT_REFUSALS) {
    this.#most = most;
  }

  async append(records: readonly RefusalRecord[]): Promise<void> {
    for (const record of records) this.#kept.push({ position: ++this.#last, record });
    this.#kept = this.#kept.slice(-this.#most);
  }

  async newest(limit: number): Promise<readonly KeptRefusal[]> {
    return this.#kept.slice(Math.max(0, this.#kept.length - limit));
  }
}
