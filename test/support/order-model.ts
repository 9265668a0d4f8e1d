import type { Outcome, Submission } from '../../src/app/submission.ts';
import { OracleStore } from '../kit/oracle/store.ts';

/** The kit's oracle as the service is asked: with who asks, and with ids that the store chooses. */
export class ModelStore {
  readonly recorded: { event: object; version: number; by: string; commandId: string }[] = [];
  readonly #oracle = new OracleStore();

  submit({ command: asked, by, commandId }: Submission): Outcome {
    const command =
      asked.type === 'PlaceNewOrder'
        ? { ...asked, type: 'PlaceOrder' as const, orderId: this.#oracle.nextId() }
        : asked;
    const outcome = this.#oracle.submit(command);
    if (outcome.kind === 'rejected') return outcome;
    const { kind, orderId, version, events } = outcome;
    for (const event of events) this.recorded.push({ event, version, by, commandId });
    return { kind, orderId, version } as Outcome;
  }
}
