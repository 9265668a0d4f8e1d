/** The table of every stored cell that somebody may change, and of what nothing can tell. */

import { describe, expect, it } from 'vitest';
import { RecordTree } from '../../src/app/audit/proofs/verifier.ts';
import { NoteSigner } from '../../src/app/audit/proving/checkpoint.ts';
import type { Checked } from '../../src/app/audit/trail/verify-store.ts';
import { UserError } from '../../src/app/lifecycle/user-error.ts';
import { Epochs } from '../../src/app/log/epochs.ts';
import type { CommandLineStore } from '../../src/app/ports/store.ts';
import { DamagedStore } from '../../src/app/ports/store.ts';
import type { OrderId } from '../../src/domain/order-id.ts';
import { LATER, NOON, newEvent, placed, TRACEPARENT } from '../support/events.ts';
import { isNightly } from '../support/nightly.ts';
import { seed } from '../support/witnessed-log.ts';
import { check, type HeldStore } from './evidence.ts';
import { refusal } from './refusal-trail.ts';

/** A column of a table, with the names of the columns that distinguish the rows of that table. */
export interface StoredColumn {
  readonly table: string;
  readonly column: string;
  readonly type: 'integer' | 'text' | 'bytes' | 'boolean';
  readonly key: readonly string[];
}

/** A store of which any cell can be changed. */
export interface ChangeableStore extends Pick<HeldStore, 'open'> {
  /** Resolves when everything but what `verify` leaves to it is checked. */
  checkAll(): Promise<void>;
  /** All columns, as the database itself lists them. */
  columns(): Promise<readonly StoredColumn[]>;
  /** Returns the conditions that select each row of a table, in the order of its primary key. */
  rows(column: StoredColumn): Promise<readonly string[]>;
  /**
   * Sets one cell to the value of an expression. Resolves with false if it has this value, or if
   * the database can hold no such value there.
   */
  change(column: StoredColumn, row: string, value: string): Promise<boolean>;
  /**
   * Executes a statement that writes to a table, past the service and with all guards in place. Resolves
   * with false if it is refused, or changes nothing.
   */
  write(table: string, statement: string): Promise<boolean>;
  /** Takes the change back. */
  restore(): Promise<void>;
}

/** Enough for a node of the tree. */
const EVENTS = 257;

/** Returns the epochs of a log that was cut twice while it was empty. */
export function cutTwice(storeId: string): Epochs {
  const root = Buffer.from(new RecordTree().head().root).toString('base64');
  const cut = { at: NOON, reason: 'loss_accepted', position: 0, root, known: null } as const;
  const bounds = { positionsUpTo: 0, idsUpTo: '0' };
  const first = new Epochs(storeId).statementOf({ ...cut, ...bounds });
  const second = new Epochs(storeId, [first]).statementOf({ ...cut, ...bounds });
  return new Epochs(storeId, [first, second]);
}

/** Adds two rows and more to every table but those of which there is one row, and the epochs. */
export async function fillAll(store: CommandLineStore): Promise<void> {
  const key = { name: 'key', hash: Buffer.alloc(32, 7), scopes: ['orders:read'] as const };
  for (const id of ['AbCdEfGh01', 'AbCdEfGh02']) {
    await store.keys.add({ ...key, id, createdAt: NOON, expiresAt: LATER });
    await store.keys.limit(id, { streams: 1 });
    await store.keys.limit(id, { streams: 2 });
    await store.keys.revoke(id, LATER);
  }
  await store.signingKeys.add(
    { verifierKey: new NoteSigner('a', seed(1)).verifierKey, since: NOON },
    0,
  );
  await store.signingKeys.add(
    { verifierKey: new NoteSigner('a', seed(2)).verifierKey, since: LATER },
    1,
  );
  await store.refusals.append([1, 2, 3].map(refusal));
  const orders = Array.from({ length: EVENTS }, (_, index) => BigInt(index + 1) as OrderId);
  await store.log.append(0, (_newer, kept) => {
    kept.keep({
      by: 'a',
      key: 'k1',
      fingerprint: 'f',
      decided: { kind: 'accepted', orderId: 1n as OrderId, version: 1 },
    });
    kept.keep({
      by: 'b',
      key: 'k2',
      fingerprint: 'g',
      decided: { kind: 'rejected', reason: 'order_not_found' },
    });
    return orders.map((id) => ({ ...newEvent(placed(id)), traceparent: TRACEPARENT }));
  });
}

/** Returns the values to which a cell of the last row is changed, as expressions. */
function valuesFor({ table, column, type }: StoredColumn, blob: (digits: string) => string) {
  const ofFirst = `(SELECT min(${column}) FROM ${table})`;
  switch (type) {
    case 'integer': {
      const near = [`${column} + 1`, `${column} - 1`, '0', '-1', '2', ofFirst];
      return [...near, '1099511627776', '2147483647', '9223372036854775807', 'NULL'];
    }
    case 'text':
      return ["'other'", "''", `${column} || '1'`, `substr(${column}, 2)`, ofFirst, 'NULL'];
    case 'bytes':
      return [blob(''), blob('00'.repeat(32)), 'NULL'];
    case 'boolean':
      return ['true', 'false'];
  }
}

/** Returns those for a cell of the first row. */
function firstValuesFor({ table, column, type }: StoredColumn, blob: (digits: string) => string) {
  if (type === 'bytes') return [blob('00'.repeat(32))];
  const ofLast = `(SELECT max(${column}) FROM ${table})`;
  return type === 'integer' ? [`${column} - 1`, '1099511627776', ofLast] : [ofLast];
}

/** Returns changes of a column: of its last row, and fewer of its first. */
function changesFor(
  column: StoredColumn,
  rows: readonly string[],
  blob: (digits: string) => string,
): readonly (readonly [row: string, value: string])[] {
  const [first, last] = [rows.slice(0, 1), rows.slice(-1)];
  const changes = last.flatMap((row) =>
    valuesFor(column, blob).map((value) => [row, value] as const),
  );
  if (rows.length < 2) return changes;
  const more = first.flatMap((row) =>
    firstValuesFor(column, blob).map((value) => [row, value] as const),
  );
  return [...changes, ...more];
}

/** By day so many changes of each column are made that the database can hold. */
const MADE_BY_DAY = 1;

/**
 * Returns the changes in the order in which they are tried: by day the column's number is where they
 * begin, so that the few that are made are of every kind.
 */
function inOrder<Change>(changes: readonly Change[], number: number): readonly Change[] {
  if (isNightly || changes.length === 0) return changes;
  const first = number % changes.length;
  return [...changes.slice(first), ...changes.slice(0, first)];
}

/** The columns of which no check can tell some values, on any engine, each with the reason. */
const UNTOLD = {
  'event_traces.traceparent': 'traces are in no proof and have no checksum',
  'key_changes.limits_checksum': 'the limits that a key had before are not stored',
  'refusals.record': 'one refusal is as good as another',
  'signing_keys.since': 'another possible time',
  'signing_keys.verifier_key':
    'another possible key; the start compares the last one with the file',
};

/** Returns true if `verify` or the repeated check finds that a table of the store was changed. */
export async function isFound(
  store: ChangeableStore,
  { table }: Pick<StoredColumn, 'table'>,
): Promise<boolean> {
  if (table === 'refusals') {
    // `verify` is about the store, and they are beside it.
    const wrong = await store.checkAll().catch((error: unknown) => error);
    if (wrong !== undefined) expect(wrong).toBeInstanceOf(DamagedStore);
    return wrong !== undefined;
  }
  const found = await check(store).catch((error: unknown) => error);
  if (found instanceof UserError) return false;
  return (found as Checked).findings.length > 0;
}

/**
 * The contract of every engine for single changed cells.
 * @param own More columns like {@link UNTOLD}, of this engine.
 */
export function changedCellContract(
  name: string,
  given: () => Promise<ChangeableStore>,
  blob: (digits: string) => string,
  own: Readonly<Record<string, string>>,
): void {
  describe(`each stored cell in ${name}`, () => {
    it('is found if it was changed, but for what nothing can tell', async () => {
      const store = await given();
      const unfound = new Map<string, string[]>();
      const unchanged = new Set<string>();
      expect((await check(store)).findings).toEqual([]);
      await store.checkAll();
      const untold: Readonly<Record<string, string>> = { ...UNTOLD, ...own };
      for (const [number, column] of (await store.columns()).entries()) {
        const title = `${column.table}.${column.column}`;
        unchanged.add(title);
        let made = 0;
        const changes = changesFor(column, await store.rows(column), blob);
        for (const [row, value] of inOrder(changes, number)) {
          // Of the others, one that nothing can tell has to be among them.
          const isEnough = made >= MADE_BY_DAY && (!(title in untold) || unfound.has(title));
          if (isEnough && !isNightly) break;
          if (!(await store.change(column, row, value))) continue;
          made += 1;
          unchanged.delete(title);
          if (!(await isFound(store, column))) {
            unfound.set(title, [...(unfound.get(title) ?? []), `${value} where ${row}`]);
          }
          await store.restore();
        }
      }
      expect([...unchanged]).toEqual([]);
      expect([...unfound].filter(([title]) => untold[title] === undefined)).toEqual([]);
      expect([...unfound.keys()].toSorted()).toEqual(Object.keys(untold).toSorted());
      expect((await check(store)).findings).toEqual([]);
    });
  });
}
