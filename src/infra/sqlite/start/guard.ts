/** The guard of a start: refuses a log that has lost acknowledged events. */

import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { UserError } from '../../../app/lifecycle/user-error.ts';
import { DamagedEpochs, Epochs } from '../../../app/log/epochs.ts';
import { rootAbove } from '../../../app/log/merkle-proofs.ts';
import { Frontier, nodeHash, TILE_HEIGHT } from '../../../app/log/merkle-tree.ts';
import { copyIn, epochsIn, storeIdOf } from '../epochs-table.ts';
import { type Log, refuseOtherLog } from '../head-file.ts';
import { MerkleTables } from '../merkle-tables.ts';
import { APPLICATION_ID, WITH_EPOCHS, WITH_SECOND_PLACES } from '../schema.ts';
import { isOfAlteredSchema } from '../storage/fault.ts';
import { refuseDamagedWal } from '../wal/guard.ts';
import { undoUnfinished } from './unfinished.ts';

/**
 * Throws {@link UserError} if a store's file has lost acknowledged events. Changes nothing in it, but for
 * {@link undoUnfinished}.
 */
export function guardStore(file: string): void {
  refuseDamagedWal(file);
  undoUnfinished(file);
  refuseOtherLog(file, (at) => readLog(file, at));
}

/**
 * Reads the log of a store's file, with its root at a position.
 *
 * The connection is read-only, so closing it leaves the `-wal` file as it is. Any other would move
 * the valid frames into the store's file and delete the rest, which an expert might still need.
 *
 * Throws an error of SQLite for a file that cannot be read, which says nothing about its log.
 */
export function readLog(file: string, at: number): Log {
  if (!existsSync(file)) return NO_LOG;
  const db = new Database(file, { readonly: true });
  try {
    return logIn(db, at);
  } finally {
    db.close();
  }
}

/**
 * Returns the properties of a log that are compared with its head. Reads in one transaction, because another
 * process may be creating the file, or appending to it.
 */
export function logIn(db: Database.Database, at: number): Log {
  return db.transaction(() => {
    // Read first: only from the first read on, all of them see the same state.
    const isStore = db.pragma('application_id', { simple: true }) === APPLICATION_ID;
    try {
      return readIn(db, at);
    } catch (error) {
      if (error instanceof DamagedEpochs)
        throw new UserError(`The store is damaged: ${error.message}.`);
      // A store whose tables are gone has a log, of which nothing is known.
      if (isOfAlteredSchema(error) && !isStore) return NO_LOG;
      throw error;
    }
  })();
}

function readIn(db: Database.Database, at: number): Log {
  const head = db.prepare('SELECT coalesce(max(position), 0) FROM events').pluck();
  const position = head.get() as number;
  const version = db.pragma('user_version', { simple: true }) as number;
  const hasHead = version >= WITH_EPOCHS;
  const storeId = storeIdOf(db);
  const copy = hasHead ? copyIn(db) : undefined;
  return {
    storeId,
    position,
    root: rootAt(db, at, position),
    epochs: hasHead ? epochsIn(db) : new Epochs(storeId),
    isCopy: copy !== undefined,
    isUnsure: copy?.isSure === false,
    keyChanges: version >= WITH_SECOND_PLACES ? keyChangesIn(db) : undefined,
    hasHead,
  };
}

function keyChangesIn(db: Database.Database): number {
  return db.prepare('SELECT count(*) FROM key_changes').pluck().get() as number;
}

/**
 * Returns the root at a position; `undefined` if the tree does not cover it, as after events that a
 * version without a tree has written.
 */
function rootAt(db: Database.Database, at: number, position: number): string | undefined {
  const hasTree = db.prepare(`SELECT count(*) FROM sqlite_schema WHERE name = 'tree'`).pluck();
  if (hasTree.get() === 0 || at > position) return undefined;
  const tree = new MerkleTables(db);
  const edge = tree.frontier();
  if (edge.size < at) return undefined;
  return (edge.size === at ? edge.root() : treeRootAt(at, tree)).toString('hex');
}

/**
 * Returns the root of the tree at a size up to its present one. As {@link treeRoot}, but
 * synchronous, for a start. Reads at most 128 hashes for each 1 in the binary digits of the size.
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
  const row =
    height === above
      ? tree.leaves(place * count, count)
      : tree.nodes(height - above, place * count, count);
  return rootAbove(row);
}

const NO_LOG: Log = {
  storeId: undefined,
  position: 0,
  root: undefined,
  epochs: new Epochs(''),
  isCopy: false,
  hasHead: false,
};
