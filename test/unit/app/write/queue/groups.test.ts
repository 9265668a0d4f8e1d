import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupOf, type Outcome, type Submission } from '../../../../../src/app/log/submission.ts';
import { DamagedStore } from '../../../../../src/app/ports/store.ts';
import { CommandProcessor } from '../../../../../src/app/write/command-processor.ts';
import { Writer } from '../../../../../src/app/write/writer.ts';
import type { OrderId, PetId } from '../../../../../src/domain/order-id.ts';
import { MemoryEventLog } from '../../../../../src/infra/memory/event-log.ts';
import { fewOrderIds, submissionsTo } from '../../../../support/arbitraries.ts';
import { NOON, readAll } from '../../../../support/events.ts';

type Command = Submission['command'];

const noon = () => Date.parse(NOON);
const shared = { by: 'alice', commandId: 'c-1' };
const place = (orderId: bigint): Command => {
  return { type: 'PlaceOrder', orderId: orderId as OrderId, petId: 7n as PetId, quantity: 1 };
};
const cancel = (orderId: bigint): Command => ({ type: 'CancelOrder', orderId: orderId as OrderId });
const group = (commands: readonly Command[], isAtomic = false, idempotencyKey?: string) => {
  return groupOf(commands, { ...shared, idempotencyKey }, isAtomic);
};
const alone = (commands: readonly Command[]) => commands.map((command) => ({ command, ...shared }));
const refused = (reason: string) => ({ kind: 'rejected', reason });
const BATCH_REFUSED = refused('batch_refused');

async function given(...commands: readonly Command[]) {
  const log = new MemoryEventLog();
  const writer = await Writer.open(log, noon);
  for (const submission of alone(commands)) await writer.execute([submission]);
  return { log, writer };
}

/** Returns all events, without the random ends of the ids of a group's commands. */
async function withoutEnds(log: MemoryEventLog) {
  return (await readAll(log)).map(({ metadata, ...event }) => {
    const commandId = metadata.commandId.replace(/:[0-9a-f]{16}$/, '');
    return { ...event, metadata: { ...metadata, commandId } };
  });
}

const commandLists = fc
  .array(submissionsTo(fewOrderIds), { minLength: 1, maxLength: 12 })
  .map((submissions) => submissions.map(({ command }) => command));

describe('a group of commands', () => {
  it('has the outcomes and the events of the same commands sent one after the other', async () => {
    await fc.assert(
      fc.asyncProperty(commandLists, commandLists, async (before, commands) => {
        const [grouped, single] = [await given(...before), await given(...before)];
        const outcomes = await grouped.writer.execute(group(commands));
        const each: Outcome[] = [];
        for (const one of alone(commands)) each.push(...(await single.writer.execute([one])));
        expect(outcomes).toStrictEqual(each);
        expect(await withoutEnds(grouped.log)).toStrictEqual(await withoutEnds(single.log));
      }),
    );
  });

  it('is done as a whole or not at all, if it is atomic', async () => {
    await fc.assert(
      fc.asyncProperty(commandLists, commandLists, async (before, commands) => {
        const [atomic, free] = [await given(...before), await given(...before)];
        const was = await withoutEnds(atomic.log);
        const due = await free.writer.execute(group(commands));
        const outcomes = await atomic.writer.execute(group(commands, true));
        const isDone = due.every(({ kind }) => kind === 'accepted');
        expect(outcomes).toStrictEqual(
          isDone ? due : due.map((each) => (each.kind === 'accepted' ? BATCH_REFUSED : each)),
        );
        expect(await withoutEnds(atomic.log)).toStrictEqual(
          isDone ? await withoutEnds(free.log) : was,
        );
      }),
    );
  });

  it('leaves nothing behind, if it was refused, for what comes in the same batch', async () => {
    const { log, writer } = await given(place(1n), place(2n));
    const outcomes = await writer.execute([
      ...alone([cancel(2n)]),
      ...group(
        [cancel(1n), cancel(9n), { type: 'PlaceNewOrder', petId: 7n as PetId, quantity: 1 }],
        true,
      ),
      ...alone([cancel(1n), { type: 'PlaceNewOrder', petId: 7n as PetId, quantity: 1 }]),
    ]);
    expect(outcomes).toMatchObject([
      { kind: 'accepted', orderId: 2n, position: 3 },
      BATCH_REFUSED,
      refused('order_not_found'),
      BATCH_REFUSED,
      { kind: 'accepted', orderId: 1n, position: 4 },
      { kind: 'accepted', orderId: 3n, position: 5 },
    ]);
    expect(await log.head()).toBe(5);
  });

  it('has the same author, request and trace in all of its events', async () => {
    const { log, writer } = await given();
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await writer.execute(groupOf([place(1n), place(2n)], { ...shared, traceparent }, false));
    const metadata = { at: NOON, ...shared };
    expect(await withoutEnds(log)).toMatchObject([{ metadata }, { metadata }]);
    // Nobody can guess one id from another.
    const ids = (await readAll(log)).map((event) => event.metadata.commandId);
    expect(ids[0]).toMatch(/^c-1:[0-9a-f]{16}$/);
    expect(ids[0]).not.toBe(ids[1]);
  });
});

describe('a group under an idempotency key', () => {
  it('is carried out once, and has the same outcomes again, whatever has happened since', async () => {
    const { log, writer } = await given(place(1n), place(2n));
    const first = await writer.execute(group([cancel(1n), cancel(9n), cancel(2n)], false, 'k'));
    await writer.execute(alone([place(9n)]));
    expect(
      await writer.execute(group([cancel(1n), cancel(9n), cancel(2n)], false, 'k')),
    ).toStrictEqual(first);
    const later = await Writer.open(log, noon);
    expect(
      await later.execute(group([cancel(1n), cancel(9n), cancel(2n)], false, 'k')),
    ).toStrictEqual(first);
    expect(await log.head()).toBe(5);
  });

  it('is refused again, if it was atomic and was refused', async () => {
    const { log, writer } = await given(place(1n));
    const request = group([cancel(1n), cancel(2n)], true, 'k');
    const due = [BATCH_REFUSED, refused('order_not_found')];
    expect(await writer.execute(request)).toStrictEqual(due);
    await writer.execute(alone([place(2n)]));
    expect(await writer.execute(request)).toStrictEqual(due);
    expect(await log.head()).toBe(2);
  });

  it.each<[string, readonly Submission[]]>([
    ['fewer commands', group([cancel(1n)], false, 'k')],
    ['more commands', group([cancel(1n), cancel(2n), cancel(3n)], false, 'k')],
    ['another order of them', group([cancel(2n), cancel(1n)], false, 'k')],
    ['all or nothing', group([cancel(1n), cancel(2n)], true, 'k')],
    ['one command alone', [{ command: cancel(1n), ...shared, idempotencyKey: 'k' }]],
  ])('is another request than one with %s', async (_what, other) => {
    const { log, writer } = await given(place(1n), place(2n), place(3n));
    await writer.execute(group([cancel(1n), cancel(2n)], false, 'k'));
    const outcomes = await writer.execute(other);
    expect(outcomes).toStrictEqual(other.map(() => refused('idempotency_key_reused')));
    expect(await log.head()).toBe(5);
  });

  it('is not carried out under the key of a single command', async () => {
    const { log, writer } = await given(place(1n));
    await writer.execute([{ command: cancel(1n), ...shared, idempotencyKey: 'k' }]);
    expect(await writer.execute(group([cancel(1n)], false, 'k'))).toStrictEqual([
      refused('idempotency_key_reused'),
    ]);
    expect(await log.head()).toBe(2);
  });

  it('is not answered from a part of its outcomes', async () => {
    const { log, writer } = await given(place(1n));
    const request = group([cancel(1n), cancel(2n)], false, 'k');
    await writer.execute(request);
    const append = log.append.bind(log);
    log.append = (seen, decide, names) =>
      append(
        seen,
        (newer, kept) => {
          const recall = (by: string, key: string) =>
            key === 'k' ? kept.recall(by, key) : undefined;
          return decide(newer, { recall, keep: () => undefined });
        },
        names,
      );
    await expect(writer.execute(request)).rejects.toThrow(DamagedStore);
  });
});

describe('the command processor', () => {
  it('answers a group in the order of its commands, among other commands', async () => {
    const { writer } = await given();
    const commands = new CommandProcessor(writer, () => expect.fail());
    const [first, many, last] = await Promise.all([
      commands.submit({ command: place(1n), ...shared }),
      commands.submitGroup(group([place(2n), place(1n), cancel(2n)])),
      commands.submit({ command: cancel(1n), ...shared }),
    ]);
    expect([first, ...many, last]).toMatchObject([
      { kind: 'accepted', position: 1 },
      { kind: 'accepted', position: 2 },
      refused('order_exists'),
      { kind: 'accepted', position: 3 },
      { kind: 'accepted', position: 4 },
    ]);
  });

  it('never has more than 1,024 commands in a batch, nor a group in two', async () => {
    const { writer } = await given();
    const batches: number[][] = [];
    const spied = {
      execute: (batch: readonly Submission[]) => {
        batches.push(batch.flatMap(({ group }) => (group === undefined ? [] : [group.size])));
        expect(batch.length).toBeLessThanOrEqual(1_024);
        return writer.execute(batch);
      },
    };
    const commands = new CommandProcessor(spied, () => expect.fail());
    const sizes = [500, 500, 400, 500, 3];
    let next = 1n;
    const outcomes = await Promise.all(
      sizes.map((size) =>
        commands.submitGroup(group(Array.from({ length: size }, () => place(next++)))),
      ),
    );
    expect(outcomes.map(({ length }) => length)).toStrictEqual(sizes);
    expect(outcomes.flat().every(({ kind }) => kind === 'accepted')).toBe(true);
    expect(batches.flat()).toStrictEqual(sizes);
    expect(batches.length).toBeGreaterThan(1);
  });
});
