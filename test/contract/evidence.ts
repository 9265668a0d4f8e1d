import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ExpectedHead } from '../../src/app/audit/proofs/trail-check.ts';
import { RecordTree } from '../../src/app/audit/proofs/verifier.ts';
import { type Checked, verifyStore } from '../../src/app/audit/trail/verify-store.ts';
import { recordOf } from '../../src/app/log/recorded-event.ts';
import type { Evidence } from '../../src/app/ports/evidence.ts';

/** A store that somebody holds who can do with it whatever they like. */
export interface HeldStore {
  open(): Promise<Evidence>;
  /** Executes SQL on the tables, whatever their triggers have against it. */
  tamper(sql: string): Promise<void>;
  /** Makes the tree anew, as one who knows this program would. */
  coverUp(): Promise<void>;
}

/** Bytes in the words of an engine, from hexadecimal digits; without any, the name of their type. */
export type Blob = (digits?: string) => string;

/** Checks a store, and closes it. */
export async function check(
  store: Pick<HeldStore, 'open'>,
  heads: readonly ExpectedHead[] = [],
): Promise<Checked> {
  const evidence = await store.open();
  try {
    return await verifyStore(evidence, heads, async () => {});
  } finally {
    await evidence.close();
  }
}

/** Returns the heads that an auditor has noted of a store at these sizes. */
export async function headsOf(store: Pick<HeldStore, 'open'>, sizes: readonly number[]) {
  const noted = new Map<number, ExpectedHead>();
  const tree = new RecordTree();
  const note = () => {
    const { size, root } = tree.head();
    if (sizes.includes(size)) noted.set(size, { name: `checkpoint-${size}`, size, root });
  };
  const evidence = await store.open();
  note();
  for await (const rows of evidence.events()) {
    for (const row of rows) {
      tree.add(recordOf(row));
      note();
    }
  }
  await evidence.close();
  return noted;
}

const NODE_1 = "the tree's node at height 8, place 1";

type Change = string | ((blob: Blob) => string);

/** Forgeries: each with its change, the positions where the check must find it, and its words. */
const TAMPERED: readonly [
  what: string,
  how: Change | { readonly covered: string },
  from: number | undefined,
  to: number | undefined,
  problem: string,
  heads?: readonly number[],
][] = [
  [
    'the animal of an order was changed',
    `UPDATE events SET data = replace(data, '"7"', '"8"') WHERE position = 302`,
    257,
    512,
    `${NODE_1}, was computed over other events`,
  ],
  [
    'the data became something impossible',
    `UPDATE events SET data = replace(data, '"quantity":1', '"quantity":0') WHERE position = 8`,
    8,
    undefined,
    'it cannot be read: { readonly orderId',
  ],
  [
    'the data became no JSON',
    `UPDATE events SET data = 'x' WHERE position = 8`,
    8,
    undefined,
    'it cannot be read: Unexpected token',
  ],
  [
    'the data says the same in other words',
    `UPDATE events SET data = replace(data, ':', ': ') WHERE position = 690`,
    690,
    undefined,
    'it cannot be read: its text is not in the one form that it can have',
  ],
  [
    'who did it was changed, and nothing else',
    `UPDATE events SET metadata = replace(metadata, '"test"', '"nobody"') WHERE position = 3`,
    1,
    256,
    "the tree's node at height 8, place 0, was computed over other events",
  ],
  [
    'who did it was changed where no node is above it yet',
    `UPDATE events SET metadata = replace(metadata, '"test"', '"nobody"') WHERE position = 650`,
    641,
    672,
    'the tree was computed over other events',
  ],
  [
    'when it was done was changed',
    `UPDATE events SET metadata = replace(metadata, '"at":"20', '"at":"19') WHERE position = 9`,
    9,
    undefined,
    'it was recorded at 19',
  ],
  [
    'the tail was deleted',
    'DELETE FROM events WHERE position > 690',
    691,
    700,
    'the log ends at position 690, and its tree has 700 events',
  ],
  [
    'the tail was deleted, and all traces with it',
    covered('DELETE FROM events WHERE position > 690'),
    691,
    700,
    'the log ends at position 690, and checkpoint-700 is of 700 events',
    [200, 700],
  ],
  [
    'an event was deleted',
    'DELETE FROM events WHERE position = 42',
    42,
    undefined,
    'it is missing',
  ],
  ['the first was', 'DELETE FROM events WHERE position = 1', 1, undefined, 'it is missing'],
  [
    'the positions begin too early',
    `UPDATE events SET position = 0 WHERE position = 1`,
    1,
    undefined,
    'position 0 stands in its place',
  ],
  [
    'two events changed places',
    `UPDATE events SET position = 9999 WHERE position = 3;
      UPDATE events SET position = 3 WHERE position = 5;
      UPDATE events SET position = 5 WHERE position = 9999`,
    1,
    256,
    "the tree's node at height 8, place 0, was computed over other events",
  ],
  [
    'two events of one order changed places',
    `UPDATE events SET position = 9999 WHERE position = 8;
      UPDATE events SET position = 8 WHERE position = 12;
      UPDATE events SET position = 12 WHERE position = 9999`,
    8,
    undefined,
    'its version is 2, and order 6 has 0 events before it',
  ],
  [
    'a version was changed',
    'UPDATE events SET version = 3 WHERE position = 12',
    12,
    undefined,
    'its version is 3, and order 6 has 1 events before it',
  ],
  [
    'a type was changed',
    `UPDATE events SET type = 'OrderCancelled' WHERE position = 12`,
    12,
    undefined,
    'it cannot be read: ',
  ],
  [
    'a schema version was changed',
    'UPDATE events SET schema_version = 9 WHERE position = 12',
    12,
    undefined,
    'it cannot be read: unknown schema version 9 of OrderShipped',
  ],
  [
    'a column was changed',
    'UPDATE events SET order_id = 2 WHERE position = 5',
    5,
    undefined,
    'its column order_id says 2, and its data is of order 1',
  ],
  [
    'a column was changed to a number beyond 2^53',
    'UPDATE events SET order_id = -9223372036854775808 WHERE position = 5',
    5,
    undefined,
    'its column order_id says -9223372036854775808, and its data is of order 1',
  ],
  [
    'the edge was changed',
    (blob) => `UPDATE tree
      SET edge = CAST(substr(edge, 1, 8) || ${blob('00'.repeat(32))} || substr(edge, 41) AS ${blob()})`,
    1,
    512,
    'the tree was computed over other events',
  ],
  [
    'the edge was cut off',
    'UPDATE tree SET edge = substr(edge, 1, 100)',
    undefined,
    undefined,
    "the tree's right edge is damaged",
  ],
  [
    'the edge was emptied',
    (blob) => `UPDATE tree SET edge = ${blob('')}`,
    undefined,
    undefined,
    "the tree's right edge is damaged",
  ],
  [
    'the edge was deleted',
    'DELETE FROM tree',
    undefined,
    undefined,
    "the tree's right edge is damaged",
  ],
  [
    'a node was changed',
    (blob) => `UPDATE tree_nodes SET hash = ${blob('ab'.repeat(32))} WHERE place = 1`,
    257,
    512,
    `${NODE_1}, was computed over other events`,
  ],
  [
    'a node was deleted',
    'DELETE FROM tree_nodes WHERE place = 1',
    257,
    512,
    `${NODE_1}, is missing`,
  ],
  [
    'a node was added',
    (blob) => `INSERT INTO tree_nodes VALUES (8, 2, ${blob('00'.repeat(32))})`,
    undefined,
    undefined,
    'the tree has 1 nodes that belong to no event',
  ],
  [
    'an event was added past the tree',
    `INSERT INTO events SELECT 701, 900, 1, type, schema_version,
       replace(data, '"500"', '"900"'), metadata FROM events WHERE position = 700`,
    701,
    701,
    'the tree of the log lacks these events',
  ],
  [
    'an API key was added with the checksum of another row',
    (blob) => `INSERT INTO api_keys (id, name, hash, scopes, created_at, checksum) VALUES
      ('AbCdEfGh01', '"x"', ${blob('0102')}, 'orders:read', '2026-01-01T12:00:00.000Z',
       ${blob('00'.repeat(32))})`,
    undefined,
    undefined,
    'the row "AbCdEfGh01" of api_keys is not as it was recorded',
  ],
  [
    'a kept outcome was deleted',
    'UPDATE store SET kept_outcomes = 1',
    undefined,
    undefined,
    '1 kept outcomes were recorded, and 0 are found',
  ],
  [
    'a shipped order was cancelled, and the traces were covered',
    forged(`6, 3, 'OrderCancelled', 1, '{"orderId":"6"}'`),
    701,
    undefined,
    'no command leads to OrderCancelled of order 6 here: order_already_shipped',
  ],
  [
    'an order was cancelled twice',
    forged(`7, 3, 'OrderCancelled', 1, '{"orderId":"7"}'`),
    701,
    undefined,
    'no command leads to OrderCancelled of order 7 here: it is so already',
  ],
  [
    'an order was placed twice',
    forged(`3, 2, 'OrderPlaced', 2, '{"orderId":"3","petId":"7","quantity":1}'`),
    701,
    undefined,
    'no command leads to OrderPlaced of order 3 here: order_exists',
  ],
  [
    'an order was shipped that was never placed',
    forged(`900, 1, 'OrderShipped', 1, '{"orderId":"900","shipDate":"2026-01-01T12:00:00.000Z"}'`),
    701,
    undefined,
    'no command leads to OrderShipped of order 900 here: order_not_found',
  ],
  [
    'all was rewritten in a way that could have been',
    covered(`UPDATE events SET data = replace(data, '"7"', '"8"') WHERE position = 302`),
    201,
    500,
    'checkpoint-500 has another root for these 500 events',
    [700, 500, 200],
  ],
  [
    'all was rewritten, and somebody has noted one state only',
    covered(`UPDATE events SET data = replace(data, '"7"', '"8"') WHERE position = 302`),
    1,
    700,
    'checkpoint-700 has another root for these 700 events',
    [700],
  ],
];

/** A change after which the tree is made anew. */
function covered(sql: string) {
  return { covered: sql };
}

function forged(values: string) {
  return covered(
    `INSERT INTO events SELECT 701, ${values}, metadata FROM events WHERE position = 700`,
  );
}

/**
 * The contract of every engine for the check of a store.
 * @param given Makes a store of {@link fillHonestly}'s 700 events.
 * @param numRuns How many cells of how many stores are changed.
 */
export function evidenceContract(
  name: string,
  given: () => Promise<HeldStore>,
  blob: Blob,
  numRuns: number,
): void {
  let noted: ReadonlyMap<number, ExpectedHead> | undefined;
  async function at(...sizes: readonly number[]): Promise<readonly ExpectedHead[]> {
    noted ??= await headsOf(await given(), [0, 200, 500, 700]);
    return sizes.map((size) => noted?.get(size) ?? expect.fail());
  }

  describe(`A store in ${name}`, () => {
    it('is found intact, also by earlier checkpoints', async () => {
      const heads = await at(0, 200, 500, 700);
      const expected = { size: 700, root: heads[3]?.root, findings: [] };
      expect(await check(await given(), heads)).toEqual(expected);
    });

    it('returns the same at every call', async () => {
      const evidence = await (await given()).open();
      const passes = [];
      for (let pass = 0; pass < 2; pass++) {
        const rows = [];
        for await (const chunk of evidence.events()) rows.push(...chunk);
        passes.push(rows);
      }
      await evidence.close();
      expect(passes[0]).toHaveLength(700);
      expect(passes[1]).toStrictEqual(passes[0]);
    });

    it.each(TAMPERED)(
      'shows where it was tampered with: %s',
      async (_, how, from, to, problem, sizes = []) => {
        const heads = await at(...sizes);
        const store = await given();
        if (typeof how === 'object') {
          await store.tamper(how.covered);
          await store.coverUp();
        } else {
          await store.tamper(typeof how === 'string' ? how : how(blob));
        }
        const [first] = (await check(store, heads)).findings;
        expect(first).toEqual({
          ...(from === undefined ? {} : { from }),
          ...(to === undefined ? {} : { to }),
          problem: expect.stringContaining(problem),
        });
      },
    );

    it('shows any cell of any event that has become another', async () => {
      const columns = ['order_id', 'version', 'type', 'schema_version', 'data', 'metadata'];
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 700 }),
          fc.constantFrom(...columns),
          fc.integer({ min: 0, max: 60 }),
          async (position, column, place) => {
            const store = await given();
            // No text of an event has this character in it.
            const value = ['type', 'data', 'metadata'].includes(column)
              ? `substr(${column}, 1, ${place}) || '~' || substr(${column}, ${place + 2})`
              : `${column} + ${place + 1}`;
            await store.tamper(
              `UPDATE events SET ${column} = ${value} WHERE position = ${position}`,
            );
            const [first] = (await check(store)).findings;
            expect(first?.from).toBeLessThanOrEqual(position);
            expect(first?.to ?? first?.from).toBeGreaterThanOrEqual(position);
          },
        ),
        { numRuns },
      );
    });
  });
}
