/**
 * The head file of a store in PostgreSQL, on each machine, and its comparison with the log.
 */

import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UserError } from '../../app/lifecycle/user-error.ts';
import { type AcknowledgedHead, contradictionOf } from '../../app/log/acknowledged-head.ts';
import type { Epochs } from '../../app/log/epochs.ts';
import { treeRoot } from '../../app/log/merkle-proofs.ts';
import { sizeOf } from '../../app/log/merkle-tree.ts';
import { HeadFile, readHeadFile } from '../head/head-file.ts';
import { noteHome, readNotedHome } from '../head/notes.ts';
import { makeFolder } from '../process/make-folder.ts';
import type { Queryable } from './connection/connection.ts';
import { homeOf } from './epochs-table.ts';
import { MerkleTables } from './merkle-tables.ts';

/** Returns the head file of a store on this machine. */
export type HeadFilePlace = (storeId: string) => string;

/** The names of head files without the setting `HEAD_FILE`. */
const NAMES = /^postgres-[0-9a-f]{16}-head$/;

/** Throws {@link UserError} if the log in a database contradicts the head files on this machine. */
export async function refuseOtherLog(
  db: Queryable,
  file: string,
  epochs: Epochs,
  name: string,
): Promise<void> {
  await refuseOtherId(db, file, epochs, name);
  const acknowledged = readHeadFile(file);
  const wrong = acknowledged && (await contradictionIn(db, acknowledged, epochs));
  if (wrong === undefined) return;
  throw new UserError(
    `The log in ${name} ${wrong}, according to ${file}. Nothing was changed. Restore the ` +
      'database that has it; or, to accept the loss, stop all instances and continue in a new ' +
      'epoch: store-orders accept-loss',
  );
}

/**
 * Throws {@link UserError} if a store had events under another id, by the head file of that one: only
 * the database itself says which file is compared with the log.
 */
async function refuseOtherId(
  db: Queryable,
  file: string,
  { storeId }: Epochs,
  name: string,
): Promise<void> {
  const others = othersBeside(file);
  const here = others.length === 0 ? '' : await homeOf(db);
  for (const other of others) {
    const head = readHeadFile(other);
    if (head === undefined || head.position === 0 || head.storeId === storeId) continue;
    // Without the identifier of the server, another one may have the same ids.
    if (here.startsWith('/') || readNotedHome(other, head.storeId) !== here) continue;
    throw new UserError(
      `The store in ${name} has the id ${storeId}, and had the id ${head.storeId} up to position ` +
        `${head.position}, according to ${other}. Nothing was changed. Give it that id again, or ` +
        'restore the database that has it; or move that file away, to serve another store.',
    );
  }
}

/** Returns the head files of other stores in the folder of a store's own. */
function othersBeside(file: string): string[] {
  const folder = dirname(file);
  try {
    const names = readdirSync(folder).filter((other) => NAMES.test(other));
    return names.filter((other) => other !== basename(file)).map((other) => join(folder, other));
  } catch {
    return [];
  }
}

/** Returns the contradiction between the log in a database and an acknowledged head, if there is one. */
export async function contradictionIn(
  db: Queryable,
  acknowledged: AcknowledgedHead,
  epochs: Epochs,
): Promise<string | undefined> {
  const tree = new MerkleTables(db);
  const position = sizeOf(await tree.edge());
  const root =
    acknowledged.position <= position
      ? Buffer.from(await treeRoot(acknowledged.position, tree)).toString('hex')
      : undefined;
  return contradictionOf(acknowledged, { storeId: epochs.storeId, epochs, position, root });
}

/**
 * Opens the head file of a store on this machine, and notes the database of the store there. If it
 * cannot be opened, nothing is noted, and `trouble` is the reason.
 */
export function openHeadFile(
  file: string,
  { storeId, id }: Epochs,
  home: string,
): { readonly headFile?: HeadFile; readonly trouble?: string } {
  try {
    const isNew = readHeadFile(file) === undefined;
    makeFolder(dirname(file));
    const headFile = new HeadFile(file, storeId, id);
    noteHome(file, storeId, home);
    const others = othersBeside(file).map((other) => `, but ${other}`);
    return {
      headFile,
      ...(isNew && {
        trouble: `there was no ${file}${others.join('')}: events lost before this start cannot be detected`,
      }),
    };
  } catch (error) {
    const { message } = error as Error;
    return {
      trouble: `${file} cannot be written (${message}): the next start cannot detect lost events`,
    };
  }
}
