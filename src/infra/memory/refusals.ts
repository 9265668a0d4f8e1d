import {
  MAX_REFUSALS,
  type RecordedRefusal,
  type RefusalRecord,
  type RefusalTrail,
} from '../../app/ports/refusal-trail.ts';

/** The trail of refusals in memory. */
export class MemoryRefusals implements RefusalTrail {
  readonly #maxRecords: number;
  #records: RecordedRefusal[] = [];
  #last = 0;

  constructor(maxRecords = MAX_REFUSALS) {
    this.#maxRecords = maxRecords;
  }

  async append(records: readonly RefusalRecord[]): Promise<void> {
    for (const record of records) this.#records.push({ position: ++this.#last, record });
    this.#records = this.#records.slice(-this.#maxRecords);
  }

  async newest(limit: number): Promise<readonly RecordedRefusal[]> {
    return this.#records.slice(Math.max(0, this.#records.length - limit));
  }
}
