import type { Outcome, Submission } from '../../src/app/log/submission.ts';
import { OracleStore } from '../kit/oracle/store.ts';

/** The kit's oracle with the service's interface: with authors, and ids chosen by the store. */
export class ModelStore {
  readonly recorded: { event: object; version: number; by: string; commandId: string }[] = [];
  readonly #oracle = new OracleStore();
  readonly #last = new Map<bigint, number>();

  submit({ command: asked, by, commandId }: Submission): Outcome {
    const command =
      asked.type === 'PlaceNewOrder'
        ? { ...asked, type: 'PlaceOrder' as const, orderId: this.#oracle.nextId() }
        : asked;
    const outcome = this.#oracle.submit(command);
    if (outcome.kind === 'rejected') return outcome;
    const { kind, orderId, version, events } = outcome;
    for (const event of events) this.recorded.push({ event, version, by, commandId });
    // The order's last event is the result of the accepted command: nothing can follow it.
    if (events.length > 0) this.#last.set(orderId, this.recorded.length);
    return { kind, orderId, version, position: this.#last.get(orderId) } as Outcome;
  }
}
