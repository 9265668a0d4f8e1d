import { describe, expect, it, onTestFinished } from 'vitest';
import { NoteSigner } from '../../src/app/audit/proving/checkpoint.ts';
import { Prover } from '../../src/app/audit/proving/prover.ts';
import { verifyStore } from '../../src/app/audit/trail/verify-store.ts';
import { Frontier, leafHash } from '../../src/app/log/merkle-tree.ts';
import { recordOf, type StoredFields } from '../../src/app/log/recorded-event.ts';
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
  /** Executes SQL with all guards off, and puts them back. */
  tamper(sql: string): Promise<void>;
  /** The SQL literal of bytes. */
  literal(bytes: Buffer): string;
}

/** Events that the service has not recorded, as they would be stored. */
function foreignEvents(first: number, count: number): readonly StoredFields[] {
  return Array.from({ length: count }, (_, n) => ({
    position: first + n,
    version: 1,
    type: 'OrderPlaced',
    schemaVersion: 2,
    data: `{"orderId":"${1_000 + n}","petId":"7","quantity":1}`,
    metadata: '{"at":"2026-01-01T12:00:00.000Z","by":"somebody","commandId":"c-9"}',
  }));
}

/** SQL that adds events behind the head, as any client of the database can. */
function foreignRows(first: number, count: number): string {
  const rows = foreignEvents(first, count).map(({ position, data, metadata }, n) => {
    return `(${position}, ${1_000 + n}, 1, 'OrderPlaced', 2, '${data}', '${metadata}')`;
  });
  return `INSERT INTO events VALUES ${rows.join(', ')}`;
}

/** SQL that rewrites the second event of a log, adds more behind its end, and recomputes the tree. */
function rewriting(
  events: readonly StoredFields[],
  added: number,
  literal: ExposedStore['literal'],
): string {
  const rewritten = events.map((event) => {
    const data = event.data.replace(/"petId":"\d+"/, '"petId":"999"');
    return event.position === 2 ? { ...event, data } : event;
  });
  expect(rewritten).not.toStrictEqual(events);
  const frontier = new Frontier();
  const nodes: string[] = [];
  for (const event of [...rewritten, ...foreignEvents(events.length + 1, added)]) {
    frontier.append(leafHash(recordOf(event)), (height, place, hash) => {
      nodes.push(`INSERT INTO tree_nodes VALUES (${height}, ${place}, ${literal(hash)})`);
    });
  }
  return [
    `UPDATE events SET data = '${rewritten[1]?.data}' WHERE position = 2`,
    ...(added === 0 ? [] : [foreignRows(events.length + 1, added)]),
    'DELETE FROM tree_nodes',
    ...nodes,
    `UPDATE tree SET edge = ${literal(frontier.pack())}`,
  ].join(';\n');
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

    it('never seems to end earlier to a reader', async () => {
      const { store, log, trail } = await given();
      // A connection that is opened later would notice by itself.
      expect(await readAll(log)).toHaveLength(10);
      await store.execute(store.removal(10));
      const missing = /position 10 .*missing/;
      await expect(readAll(log)).rejects.toThrow(missing);
      for (const after of [0, 9]) await expect(trail.stored(after, 50)).rejects.toThrow(missing);
    });
  });

  describe(`the log in ${name}, rewritten while it is open, with a tree that fits,`, () => {
    it.each([0, 1, 300])('is not followed, though it has %i more events', async (added) => {
      const { store, log, trail } = await given();
      const prover = new Prover(trail, NoteSigner.generate('test'));
      const signed = await prover.checkpoint();
      await store.tamper(rewriting(await trail.stored(0, 10), added, store.literal));
      const other = 'the log lacks acknowledged events up to position 10: it is another one there';
      await expect(trail.treeHead()).rejects.toThrow(other);
      await expect(prover.checkpoint()).rejects.toThrow(other);
      await expect(prover.receipt(2)).rejects.toThrow(other);
      const result = await log.append(10, () => [newEvent(placed(4_711n))]);
      expect(result).toMatchObject({ kind: 'unavailable', cause: { message: other } });
      expect(signed.size).toBe(10);
    });

    it('is told from a log to which another process has appended', async () => {
      const { store, log, trail } = await given();
      const beside = await store.openLog(() => {});
      onTestFinished(() => beside.log.close());
      for (const [at, count] of [
        [10, 1],
        [11, 700],
      ] as const) {
        const more = Array.from({ length: count }, (_, n) => newEvent(placed(BigInt(at + n + 1))));
        expect(await beside.log.append(at, () => more)).toMatchObject({ kind: 'appended' });
        expect((await trail.treeHead()).size).toBe(at + count);
        expect(await log.head()).toBe(at + count);
      }
      const last = newEvent(placed(4_711n));
      expect(await log.append(10, () => [last])).toMatchObject({ events: [{ position: 712 }] });
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
