import type { Outcome } from '../../src/app/log/submission.ts';
import type { OrderCancelled, OrderShipped } from '../../src/domain/order.ts';
import type { OrderId } from '../../src/domain/order-id.ts';
import { changingCommands, changingOutcomes, recordAnyway, rounded } from './faults.ts';
import type { Mutant } from './mutated.ts';

/** The lengths of the beginning of a date that a careless comparison reads. */
const DATE_LENGTHS = [
  ['day', '2026-01-01'.length],
  ['hour', '2026-01-01T00'.length],
  ['second', '2026-01-01T00:00:00'.length],
] as const;

/** Wrong decisions, on the write side. */
export const WRONG_DECISIONS: readonly Mutant[] = [
  {
    name: 'a shipped order can be cancelled',
    writer: (writer, log) =>
      changingOutcomes(writer, async (command, outcome) => {
        if (command.type !== 'CancelOrder' || outcome.kind !== 'rejected') return outcome;
        if (outcome.reason !== 'order_already_shipped') return outcome;
        const { orderId } = command;
        const event: OrderCancelled = { type: 'OrderCancelled', orderId };
        const version = await recordAnyway(log, event);
        return { kind: 'accepted', orderId, version, position: await log.head() };
      }),
  },
  {
    name: 'a cancelled order can be shipped',
    writer: (writer, log) =>
      changingOutcomes(writer, async (command, outcome) => {
        if (command.type !== 'ShipOrder' || outcome.kind !== 'rejected') return outcome;
        if (outcome.reason !== 'order_cancelled') return outcome;
        const event: OrderShipped = { ...command, type: 'OrderShipped' };
        const version = await recordAnyway(log, event);
        const { orderId } = command;
        return { kind: 'accepted', orderId, version, position: await log.head() };
      }),
  },
  {
    name: 'a second cancellation is recorded again',
    writer(writer, log) {
      const cancelled = new Set<bigint>();
      return changingOutcomes(writer, async (command, outcome) => {
        if (command.type !== 'CancelOrder' || outcome.kind !== 'accepted') return outcome;
        const { orderId } = command;
        if (!cancelled.has(orderId)) {
          cancelled.add(orderId);
          return outcome;
        }
        await recordAnyway(log, { type: 'OrderCancelled', orderId });
        return outcome;
      });
    },
  },
  {
    name: 'a second cancellation is a 404',
    writer(writer) {
      const cancelled = new Set<bigint>();
      return changingOutcomes(writer, (command, outcome) => {
        if (command.type !== 'CancelOrder' || outcome.kind !== 'accepted') return outcome;
        if (cancelled.has(command.orderId)) return { kind: 'rejected', reason: 'order_not_found' };
        cancelled.add(command.orderId);
        return outcome;
      });
    },
  },
  {
    name: 'a second shipment on another date is accepted',
    writer: (writer) =>
      changingOutcomes(writer, (command, outcome) => {
        const isRefused = outcome.kind === 'rejected' && outcome.reason === 'order_already_shipped';
        if (command.type !== 'ShipOrder' || !isRefused) return outcome;
        return { kind: 'accepted', orderId: command.orderId, version: 2, position: 1 };
      }),
  },
  ...DATE_LENGTHS.map(
    ([part, length]): Mutant => ({
      name: `a second shipment in the same ${part} is the first one`,
      writer(writer) {
        const shipped = new Map<bigint, { readonly date: string; readonly first: Outcome }>();
        return changingOutcomes(writer, (command, outcome) => {
          if (command.type !== 'ShipOrder') return outcome;
          const date = command.shipDate.slice(0, length);
          if (outcome.kind === 'accepted') {
            shipped.set(command.orderId, { date, first: outcome });
            return outcome;
          }
          const before = shipped.get(command.orderId);
          return before?.date === date ? before.first : outcome;
        });
      },
    }),
  ),
  {
    name: 'what is not there can be cancelled',
    writer: (writer) =>
      changingOutcomes(writer, (command, outcome) => {
        const isMissing = outcome.kind === 'rejected' && outcome.reason === 'order_not_found';
        if (command.type !== 'CancelOrder' || !isMissing) return outcome;
        return { kind: 'accepted', orderId: command.orderId, version: 0, position: 1 };
      }),
  },
  {
    name: 'answers come back in another order',
    writer: (writer) => ({ execute: async (batch) => (await writer.execute(batch)).toReversed() }),
  },
  {
    name: 'ids of orders are rounded through Number',
    writer: (writer) =>
      changingCommands(writer, (command) => {
        if (command.type === 'PlaceNewOrder' || command.type === 'PlaceOrder') return command;
        return { ...command, orderId: rounded(command.orderId) as OrderId };
      }),
  },
];
