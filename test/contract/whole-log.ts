import { describe, expect, it, onTestFinished } from 'vitest';
import { NoteSigner } from '../../src/app/audit/proving/checkpoint.ts';
import { Prover } from '../../src/app/audit/proving/prover.ts';
import { verifyStore } from '../../src/app/audit/trail/verify-store.ts';
import type { EventLog } from '../../src/app/ports/event-log.ts';
import type { Evidence } from '../../src/app/ports/evidence.ts';
import { DamagedStore } from '../../src/app/ports/store.ts';
import type { Trail } from '../../src/app/ports/trail.ts';
import { newEvent, placed, readAll } from '../support/events.ts';

/** A store whose tables somebody else can write to. */
export interface ExposedStore {
  /** Opens its log. `damaged` is told what an append finds wrong. */
  openLog(
    damaged: (cause: Error) => void,
  ): Promise<{ readonly log: EventLog; readonly trail: Trail }>;
  /** Opens the whole store as a command does, and closes it. */
  open(): Promise<void>;
  openEvidence(): Promise<Evidence>;
  /** Executes SQL as somebody who may do everything. The default schema is the store's. */
  execute(sql: string): Promise<void>;
  /** SQL that removes an event, whatever forbids it. */
  removal(position: number): string;
}

/** SQL that adds events behind the head, as any client of the database can. */
function foreignRows(first: number, count: number): string {
  const rows = Array.from({ length: count }, (_, n) => {
    const id = 1_000 + n;
    const data = `{"orderId":"${id}","petId":"7","quantity":1}`;
    const metadata = '{"at":"2026-01-01T12:00:00.000Z","by":"somebody","commandId":"c-9"}';
    return `(${first + n}, ${id}, 1, 'OrderPlaced', 2, '${data}', '${metadata}')`;
  });
  return `INSERT INTO events VALUES ${rows.join(', ')}`;
}

/**
 * The contract of every engine whose log and the tree over it differ in size: nobody makes them
 * equal, nobody is shown the difference, and everybody who starts or appends is refused.
 */
export function wholeLogContract(name: string, create: () => Promise<ExposedStore>): void {
  async function given(events = 10) {
    const store = await create();
    const damage: Error[] = [];
    const opened = await store.openLog((cause) => damage.push(cause));
    onTestFinished(() => opened.log.close());
    const all = Array.from({ length: events }, (_, n) => newEvent(placed(BigInt(n + 1))));
    expect(await opened.log.append(0, () => all)).toMatchObject({ kind: 'appended' });
    return { store, damage, ...opened };
  }

  async function problemsIn(store: ExposedStore): Promise<readonly string[]> {
    const evidence = await store.openEvidence();
    try {
      const { findings } = await verifyStore(evidence, [], async () => {});
      return findings.map(({ problem }) => problem);
    } finally {
      await evidence.close();
    }
  }

  describe(`the log in ${name}, with events behind the end of its tree,`, () => {
    it.each([1, 3])('%i of them, is refused at every start, and stays as it is', async (count) => {
      const { store, log } = await given();
      await log.close();
      await store.execute(foreignRows(11, count));
      const sizes = `the log has ${10 + count} events and its tree 10: the event at position 11`;
      for (let start = 1; start <= 3; start++) await expect(store.open()).rejects.toThrow(sizes);
      await expect(store.open()).rejects.toThrow('store-orders verify');
      expect(await problemsIn(store)).toContain('the tree of the log lacks these events');
    });

    it('accepts no command, and gives the reason', async () => {
      const { store, damage, log } = await given();
      await store.execute(foreignRows(11, 1));
      for (let command = 1; command <= 2; command++) {
        const result = await log.append(10, (newer) => {
          expect(newer).toStrictEqual([]);
          return [newEvent(placed(11n))];
        });
        expect(result.kind).toBe('unavailable');
      }
      await expect.poll(() => damage[0]?.message).toMatch(/^the log has 11 events and its tree 10/);
      expect(damage[0]).toBeInstanceOf(DamagedStore);
      expect(await problemsIn(store)).toContain('the tree of the log lacks these events');
    });

    it('shows none of them to a reader, and proves none of them', async () => {
      const { store, log, trail } = await given();
      await store.execute(foreignRows(11, 2));
      const shown = await allOrRefused(() => readAll(log));
      expect(shown.length).toBeLessThanOrEqual(10);
      expect((await allOrRefused(() => trail.stored(0, 50))).length).toBeLessThanOrEqual(10);
      expect(await allOrRefused(() => trail.stored(10, 50))).toEqual([]);
      const prover = new Prover(trail, NoteSigner.generate('test'));
      await expect(prover.receipt(11)).rejects.toThrow();
    });
  });

  describe(`the log in ${name}, without its last event,`, () => {
    it('is refused at every start', async () => {
      const { store, log } = await given();
      await log.close();
      await store.execute(store.removal(10));
      const sizes = 'the log has 9 events and its tree 10: the event at position 10 is missing';
      for (let start = 1; start <= 2; start++) await expect(store.open()).rejects.toThrow(sizes);
    });

    it('accepts no command, and gives the reason', async () => {
      const { store, damage, log } = await given();
      await store.execute(store.removal(10));
      for (const seen of [10, 9]) {
        const result = await log.append(seen, () => [newEvent(placed(11n))]);
        expect(result.kind).toBe('unavailable');
      }
      await expect.poll(() => damage[0]?.message).toMatch(/^the log has 9 events and its tree 10/);
    });
  });
}

async function allOrRefused<Item>(read: () => Promise<readonly Item[]>): Promise<readonly Item[]> {
  try {
    return await read();
  } catch (error) {
    expect(error).toBeInstanceOf(DamagedStore);
    return [];
  }
}
