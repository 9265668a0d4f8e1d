import type { Outcome, Submission } from '../../app/log/submission.ts';
import type { CommandProcessor } from '../../app/write/command-processor.ts';
import { type Instant, instantAt } from '../../domain/instant.ts';
import type { OrderId, PetId } from '../../domain/order-id.ts';

const ORDERS = 36;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** Fills a store with orders of every state, through the same commands that clients send. */
export async function placeDemoOrders(commands: CommandProcessor, now: number): Promise<void> {
  for (let n = 0; n < ORDERS; n++) {
    const shipDate = instantAt(now + n * DAY_MS) as Instant;
    const placed = await perform(commands, {
      type: 'PlaceNewOrder',
      petId: BigInt(1 + (n % 7)) as PetId,
      quantity: 1 + (n % 3),
      // Not every customer is told a date.
      ...(n % 4 === 0 ? {} : { shipDate }),
    });
    if (n % 3 === 1) await perform(commands, { type: 'ShipOrder', orderId: placed, shipDate });
    if (n % 6 === 2) await perform(commands, { type: 'CancelOrder', orderId: placed });
  }
}

async function perform(commands: CommandProcessor, command: Submission['command']) {
  const outcome: Outcome = await commands.submit({
    command,
    by: 'demo',
    commandId: crypto.randomUUID(),
  });
  if (outcome.kind !== 'accepted') throw new Error(`the demo's ${command.type} was not accepted`);
  return outcome.orderId as OrderId;
}
