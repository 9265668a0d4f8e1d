import { expect, test } from 'vitest';
import type { DueLine } from '../../../../src/app/import/import-check.ts';
import { ImportRun } from '../../../../src/app/import/import-run.ts';
import type { RecordedEvent } from '../../../../src/app/log/recorded-event.ts';
import type { Outcome } from '../../../../src/app/log/submission.ts';
import type { BatchWriter } from '../../../../src/app/ports/batch-writer.ts';
import { Writer } from '../../../../src/app/write/writer.ts';
import type { Instant } from '../../../../src/domain/instant.ts';
import type { OrderCommand } from '../../../../src/domain/order.ts';
import type { OrderId, PetId } from '../../../../src/domain/order-id.ts';
import { MemoryEventLog } from '../../../../src/infra/memory/event-log.ts';

const MONDAY = '2026-01-05T00:00:00.000Z' as Instant;

function place(id: number, petId = 1): OrderCommand {
  return {
    type: 'PlaceOrder',
    orderId: BigInt(id) as OrderId,
    petId: BigInt(petId) as PetId,
    quantity: 1,
  };
}
function ship(id: number): OrderCommand {
  return { type: 'ShipOrder', orderId: BigInt(id) as OrderId, shipDate: MONDAY };
}
function cancel(id: number): OrderCommand {
  return { type: 'CancelOrder', orderId: BigInt(id) as OrderId };
}

/** A line for each list of commands, numbered from 1. */
function lines(...commands: readonly (readonly OrderCommand[])[]): readonly DueLine[] {
  return commands.map((commands, index) => {
    const [{ orderId: id }] = commands as [OrderCommand];
    return { line: index + 1, id, commands };
  });
}

const atOnce = async () => {};
/** No order that is refused is as its line gives it. */
const never = () => false;

async function eventsOf(log: MemoryEventLog): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const chunk of log.read(0)) events.push(...chunk);
  return events;
}

/** A writer that gives these answers first, as an engine in trouble would. */
function troubled(writer: BatchWriter, ...troubles: readonly Outcome[]): BatchWriter {
  const left = [...troubles];
  return {
    async execute(batch) {
      const trouble = left.shift();
      return trouble === undefined ? writer.execute(batch) : batch.map(() => trouble);
    },
  };
}

test('every line is carried out, and its events say which line it was', async () => {
  const log = new MemoryEventLog();
  const run = new ImportRun(await Writer.open(log), 'run', atOnce, never);
  const due = lines([place(1)], [place(2), ship(2)], [place(3), cancel(3)]);
  expect(await run.run(due, () => {})).toBeUndefined();
  expect(run.accepted).toEqual({ PlaceOrder: 3, ShipOrder: 1, CancelOrder: 1 });
  const recorded = (await eventsOf(log)).map(({ event, metadata }) => [
    event.type,
    event.orderId,
    metadata.by,
    metadata.commandId.replace(/:[0-9a-f]{16}$/, ''),
  ]);
  expect(recorded).toEqual([
    ['OrderPlaced', 1n, 'import', 'run:1'],
    ['OrderPlaced', 2n, 'import', 'run:2'],
    ['OrderShipped', 2n, 'import', 'run:2'],
    ['OrderPlaced', 3n, 'import', 'run:3'],
    ['OrderCancelled', 3n, 'import', 'run:3'],
  ]);
  // Nobody can guess one from another: the hash of each event may be public.
  const ids = (await eventsOf(log)).map(({ metadata }) => metadata.commandId);
  for (const id of ids) expect(id).toMatch(/^run:\d:[0-9a-f]{16}$/);
  expect(new Set(ids.map((id) => id.slice(-16))).size).toBe(ids.length);
});

test('nothing is sent if nothing is due', async () => {
  const log = new MemoryEventLog();
  const run = new ImportRun(await Writer.open(log), 'run', atOnce, never);
  const progress: number[] = [];
  expect(await run.run([], (done) => progress.push(done))).toBeUndefined();
  expect(await log.head()).toBe(0);
  expect(progress).toEqual([]);
});

test('many lines go in batches, and others get their turn after each', async () => {
  const log = new MemoryEventLog();
  const turns: number[] = [];
  const wait = async () => void turns.push(await log.head());
  const run = new ImportRun(await Writer.open(log), 'run', wait, never);
  const due = lines(...Array.from({ length: 5_000 }, (_, index) => [place(index)]));
  const progress: number[] = [];
  const written: DueLine[] = [];
  await run.run(due, (done, batch) => {
    progress.push(done);
    written.push(...batch);
  });
  expect(progress).toEqual([2_048, 4_096, 5_000]);
  expect(turns).toEqual(progress);
  expect(written).toEqual(due);
});

test('the commands of a line are in one batch, whatever the batch has', async () => {
  const log = new MemoryEventLog();
  const writer = await Writer.open(log);
  const sizes: number[] = [];
  const watched: BatchWriter = {
    async execute(batch) {
      sizes.push(batch.length);
      return writer.execute(batch);
    },
  };
  const run = new ImportRun(watched, 'run', atOnce, never);
  const many = Array.from({ length: 1_500 }, (_, index) => [place(index + 2), ship(index + 2)]);
  await run.run(lines([place(1)], ...many), () => {});
  expect(sizes).toEqual([2_047, 954]);
  expect(run.accepted).toEqual({ PlaceOrder: 1_501, ShipOrder: 1_500, CancelOrder: 0 });
});

test("another client's order under the same id is neither shipped nor cancelled", async () => {
  const log = new MemoryEventLog();
  const other = await Writer.open(log);
  await other.execute([{ command: place(1, 99), by: 'other', commandId: 'other' }]);
  const run = new ImportRun(await Writer.open(log), 'run', atOnce, never);
  await run.run(lines([place(1), ship(1)], [place(2), ship(2)]), () => {});
  expect(run.accepted).toEqual({ PlaceOrder: 1, ShipOrder: 1, CancelOrder: 0 });
  expect(run.overtaken.first).toEqual([
    { line: 1, reason: 'the order has changed since it was checked (order_exists)' },
  ]);
  expect((await eventsOf(log)).filter(({ event }) => event.orderId === 1n)).toHaveLength(1);
});

test('a batch is sent again to a busy log, at growing intervals', async () => {
  const log = new MemoryEventLog();
  const busy: Outcome = { kind: 'unavailable', cause: 'locked' };
  const waits: number[] = [];
  const wait = async (milliseconds: number) => void waits.push(milliseconds);
  const run = new ImportRun(troubled(await Writer.open(log), busy, busy), 'run', wait, never);
  expect(await run.run(lines([place(1)]), () => {})).toBeUndefined();
  expect(await log.head()).toBe(1);
  expect(waits.slice(0, 2)).toEqual([250, 500]);
});

test('a line that others have carried out meanwhile is there, and not overtaken', async () => {
  const log = new MemoryEventLog();
  const other = await Writer.open(log);
  await other.execute([{ command: place(1), by: 'other', commandId: 'other' }]);
  const run = new ImportRun(await Writer.open(log), 'run', atOnce, (id) => id === 1n);
  await run.run(lines([place(1)], [place(2)]), () => {});
  expect(run).toMatchObject({ present: 1, accepted: { PlaceOrder: 1 }, overtaken: { count: 0 } });
});

test('a log that stays busy ends the import', async () => {
  const busy: Outcome = { kind: 'unavailable', cause: 'locked' };
  const writer = troubled(await Writer.open(new MemoryEventLog()), busy, busy, busy, busy, busy);
  const run = new ImportRun(writer, 'run', atOnce, never);
  expect(await run.run(lines([place(1)]), () => {})).toEqual(busy);
  expect(run.accepted.PlaceOrder).toBe(0);
});

test('an outcome in doubt ends the import at once', async () => {
  const log = new MemoryEventLog();
  const doubt: Outcome = { kind: 'unknown', cause: 'fsync' };
  const run = new ImportRun(troubled(await Writer.open(log), doubt), 'run', atOnce, never);
  expect(await run.run(lines([place(1)]), () => {})).toEqual(doubt);
  expect(await log.head()).toBe(0);
});
