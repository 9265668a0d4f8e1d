import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type NewEvent, recordedBehind } from '../../../src/app/log/recorded-event.ts';
import { encode } from '../../../src/infra/events/codec.ts';
import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { LogTransaction } from '../../../src/infra/sqlite/log-transaction.ts';
import { MerkleTables } from '../../../src/infra/sqlite/merkle-tables.ts';
import { Wal } from '../../../src/infra/sqlite/wal/wal.ts';
import { newEvent, placed } from '../../support/events.ts';
import { temporaryFile } from '../../support/folder.ts';

const FULL = new Database.SqliteError('database or disk is full', 'SQLITE_FULL');

/** Opens a store, with a transaction on it, and counts the events that another connection sees. */
function given({ hasWal = true } = {}) {
  const file = temporaryFile();
  const db = openDatabase(file);
  const other = openDatabase(file);
  const wal = hasWal ? new Wal(file) : undefined;
  onTestFinished(() => {
    wal?.close();
    db.close();
    other.close();
  });
  db.pragma('busy_timeout = 0');
  const transaction = new LogTransaction(db, new MerkleTables(db), wal);
  const count = other.prepare('SELECT count(*) FROM events').pluck();
  const insert = (given: readonly NewEvent[], head = 0) => {
    const events = recordedBehind(head, given);
    transaction.begin();
    transaction.insert(events.map(encode), events);
    return events;
  };
  return { db, other, transaction, insert, count: () => count.get() };
}

const place = (...ids: readonly bigint[]) => ids.map((id) => newEvent(placed(id)));

describe('a commit that has failed', () => {
  it('is undone if nothing of it is there, and gives the lock up', () => {
    const { db, other, transaction, insert, count } = given();
    const events = insert(place(1n, 2n));
    expect(transaction.isUndone(FULL, 0, events)).toBe(true);
    expect(db.inTransaction).toBe(false);
    other.exec('BEGIN IMMEDIATE; ROLLBACK');
    expect(count()).toBe(0);
    insert(place(3n));
    transaction.commit();
    expect(count()).toBe(1);
  });

  it('is undone if another process has recorded other events in its place', () => {
    const { transaction, insert, count } = given();
    insert(place(1n));
    transaction.commit();
    const mine = recordedBehind(0, [{ ...newEvent(placed(1n)), metadata: otherMetadata() }]);
    expect(transaction.isUndone(FULL, 0, mine)).toBe(true);
    expect(count()).toBe(1);
  });

  it('is not undone if its events are there', () => {
    const { db, transaction, insert, count } = given();
    const events = insert(place(1n, 2n));
    transaction.commit();
    expect(transaction.isUndone(FULL, 0, events)).toBe(false);
    expect(db.inTransaction).toBe(false);
    expect(count()).toBe(2);
  });

  it.each(['SQLITE_IOERR_FSYNC', 'SQLITE_IOERR_DIR_FSYNC'])(
    'may be there in part after %s, whatever is seen',
    (code) => {
      const { transaction, insert } = given();
      const events = insert(place(1n));
      const error = new Database.SqliteError('disk I/O error', code);
      expect(transaction.isUndone(error, 0, events)).toBe(false);
    },
  );

  it('may come back where there is no look at the -wal file, or no lock', () => {
    const without = given({ hasWal: false });
    expect(without.transaction.isUndone(FULL, 0, without.insert(place(1n)))).toBe(false);
    const { db, other, transaction, insert } = given();
    const events = insert(place(1n));
    transaction.rollBack();
    other.exec('BEGIN IMMEDIATE');
    expect(transaction.isUndone(FULL, 0, events)).toBe(false);
    expect(db.inTransaction).toBe(false);
    other.exec('ROLLBACK');
    expect(transaction.isUndone(FULL, 0, events)).toBe(true);
  });
});

function otherMetadata() {
  return { ...newEvent(placed(1n)).metadata, commandId: 'another' };
}
