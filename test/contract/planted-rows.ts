/** The table of rows that somebody may add, or put in the place of others, with all guards in place. */

import { describe, expect, it } from 'vitest';
import { type ChangeableStore, isFound, type StoredColumn } from './changed-cells.ts';
import { check } from './evidence.ts';

/** A table with its columns. */
type Table = readonly [name: string, columns: readonly StoredColumn[]];

/** The engine's own words for what the statements need. */
interface Words {
  /** An empty value of bytes. */
  readonly noBytes: string;
  /** The beginnings of statements that add a row, and of those that also take another's place. */
  readonly inserts: readonly string[];
  /** The column by which a row may be named beside its key; absent: there is none. */
  readonly rowid?: string;
}

/** Returns an expression for another value of a column. */
function another({ column, type }: StoredColumn, { noBytes }: Words): string {
  if (type === 'bytes') return noBytes;
  if (type === 'boolean') return `NOT ${column}`;
  return type === 'text' ? `${column} || 'x'` : `${column} + 1`;
}

/** Returns statements that write rows made of the last row of a table, each with one other value. */
function statementsFor([table, columns]: Table, row: string, words: Words): readonly string[] {
  const names = columns.map(({ column }) => column);
  const changed = columns.map((of) => ({ column: of.column, value: another(of, words) }));
  const minus = columns.filter(
    ({ type, key, column }) => type === 'integer' && key.includes(column),
  );
  const changes = [...changed, ...minus.map(({ column }) => ({ column, value: '-1' }))];
  const rowids = words.rowid === undefined ? [[]] : [[], [words.rowid]];
  const inserts = words.inserts.flatMap((insert) =>
    rowids.flatMap((rowid) =>
      changes.map(({ column, value }) => {
        const values = names.map((name) => (name === column ? value : name));
        return `${insert} ${table} (${[...rowid, ...names]})
          SELECT ${[...rowid, ...values]} FROM ${table} WHERE ${row}`;
      }),
    ),
  );
  if (words.rowid === undefined) return inserts;
  // Every column by which REPLACE deletes a row, with its value in another row.
  const keys = [...(columns[0]?.key ?? []), words.rowid];
  const updates = keys.map((key) => {
    const other = `(SELECT min(${key}) FROM ${table})`;
    return `UPDATE OR REPLACE ${table} SET ${key} = ${other} WHERE ${row} AND ${key} <> ${other}`;
  });
  return [...inserts, ...updates];
}

/** The tables of which no check can tell some added rows, each with the reason. */
const UNTOLD = {
  key_changes: 'the last change once more, by which the key stays as it is',
  refusals: 'one refusal is as good as another',
  signing_keys: 'another possible key; the start compares the last one with the file',
};

/** The contract of every engine for rows that are added or replaced while its guards are in place. */
export function plantedRowContract(
  name: string,
  given: () => Promise<ChangeableStore>,
  words: Words,
): void {
  describe(`a row that somebody adds or replaces in ${name}`, () => {
    it('is refused or found, in every table, but for what nothing can tell', async () => {
      const store = await given();
      const unfound = new Map<string, string[]>();
      const refused = new Set<string>();
      const tables = Map.groupBy(await store.columns(), ({ table }) => table);
      for (const each of tables) {
        const [table, [column]] = each;
        const row = (await store.rows(column as StoredColumn)).at(-1) ?? 'true';
        for (const statement of statementsFor(each, row, words)) {
          if (!(await store.write(table, statement))) refused.add(table);
          else if (!(await isFound(store, { table }))) {
            unfound.set(table, [...(unfound.get(table) ?? []), statement]);
          }
          await store.restore();
        }
      }
      expect([...unfound].filter(([table]) => !Object.hasOwn(UNTOLD, table))).toEqual([]);
      expect([...unfound.keys()].toSorted()).toEqual(Object.keys(UNTOLD).toSorted());
      expect([...tables.keys()].filter((table) => !refused.has(table))).toEqual([]);
      expect((await check(store)).findings).toEqual([]);
    });
  });
}
