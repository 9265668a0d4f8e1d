/** The guard of a start: refuses a log that has lost what was acknowledged. */

import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { CannotStart } from '../../../app/lifecycle/cannot-start.ts';
import { DamagedEpochs, Epochs } from '../../../app/log/epochs.ts';
import { parentsOf } from '../../../app/log/merkle-proofs.ts';
import { Frontier, nodeHash, TILE_HEIGHT } from '../../../app/log/merkle-tree.ts';
import { epochsIn, isCopy, storeIdOf } from '../epochs-table.ts';
import { MerkleTables } from '../merkle-tables.ts';
import { WITH_EPOCHS } from '../schema.ts';
import { refuseDamagedWal } from '../wal/guard.ts';
import { type Log, refuseOtherLog } from '../witness.ts';

/**
 * Throws {@link CannotStart} where a store's file has lost what was acknowledged, before anything
 * in it is changed.
 */
export function guardStore(file: string): void {
  refuseDamagedWal(file);
  refuseOtherLog(file, (at) => readLog(file, at));
}

// A connection that may only read leaves the -wal file as it is when it closes. Any other would put
// what is whole of it into the store's file and delete the rest, from which an expert might still
// learn something.
/** Reads the log of a store's file, with its root at a position. */
export function readLog(file: string, at: number): Log {
  if (!existsSync(file)) return NO_LOG;
  let db: Database.Database | undefined;
  try {
    db = new Database(file, { readonly: true });
    return logIn(db, at);
  } catch (error) {
    // It is no database: whoever opens it to use it says so.
    if (error instanceof Database.SqliteError && NO_STORE.test(error.code)) return NO_LOG;
    throw error;
  } finally {
    db?.close();
  }
}

/** The log in an open database, as far as a head can be compared with it. */
export function logIn(db: Database.Database, at: number): Log {
  try {
    const head = db.prepare('SELECT coalesce(max(position), 0) FROM events').pluck();
    const position = head.get() as number;
    const hasHead = (db.pragma('user_version', { simple: true }) as number) >= WITH_EPOCHS;
    const storeId = storeIdOf(db);
    return {
      storeId,
      position,
      root: rootAt(db, at, position),
      epochs: hasHead ? epochsIn(db) : new Epochs(storeId),
      isCopy: hasHead && isCopy(db),
      hasHead,
    };
  } catch (error) {
    if (error instanceof DamagedEpochs)
      throw new CannotStart(`The store is damaged: ${error.message}.`);
    // SQLITE_ERROR: it has no such table.
    if (error instanceof Database.SqliteError && error.code === 'SQLITE_ERROR') return NO_LOG;
    throw error;
  }
}

/** The root at a position, unless an older version has written there, which kept no tree. */
function rootAt(db: Database.Database, at: number, position: number): string | undefined {
  const hasTree = db.prepare(`SELECT count(*) FROM sqlite_schema WHERE name = 'tree'`).pluck();
  if (hasTree.get() === 0 || at > position) return undefined;
  const tree = new MerkleTables(db);
  const edge = tree.frontier();
  if (edge.size < at) return undefined;
  return (edge.size === at ? edge.root() : treeRootAt(at, tree)).toString('hex');
}

/**
 * Returns the root of a log's tree as it was at a size, which it must have had: the same as
 * {@link treeRoot}, for a start, which cannot await. It reads 128 hashes at most for each 1 in the
 * binary digits of the size.
 */
function treeRootAt(size: number, tree: MerkleTables): Buffer {
  let root: Buffer | undefined;
  let end = size;
  for (let height = 0; end > 0; height++) {
    const width = 2 ** height;
    if ((end / width) % 2 === 0) continue;
    end -= width;
    const left = subtreeRoot(height, end / width, tree);
    root = root === undefined ? left : nodeHash(left, root);
  }
  return root ?? new Frontier().root();
}

function subtreeRoot(height: number, place: number, tree: MerkleTables): Buffer {
  const above = height % TILE_HEIGHT;
  const count = 2 ** above;
  let row =
    height === above
      ? tree.leaves(place * count, count)
      : tree.nodes(height - above, place * count, count);
  if (row.length !== count) throw new Error(`the tree lacks nodes at height ${height - above}`);
  while (row.length > 1) row = parentsOf(row);
  return row[0] as Buffer;
}

const NO_STORE = /^SQLITE_(?:NOTADB|CANTOPEN|IOERR_READ)$/;

const NO_LOG: Log = {
  storeId: undefined,
  position: 0,
  root: undefined,
  epochs: new Epochs(''),
  isCopy: false,
  hasHead: false,
};
