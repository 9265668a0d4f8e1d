/**
 * The head file of a store in PostgreSQL, on each machine, and its comparison with the log.
 */

import { dirname } from 'node:path';
import { UserError } from '../../app/lifecycle/user-error.ts';
import { type AcknowledgedHead, contradictionOf } from '../../app/log/acknowledged-head.ts';
import type { Epochs } from '../../app/log/epochs.ts';
import { treeRoot } from '../../app/log/merkle-proofs.ts';
import { sizeOf } from '../../app/log/merkle-tree.ts';
import { HeadFile, readHeadFile } from '../head/head-file.ts';
import { makeFolder } from '../process/make-folder.ts';
import type { Queryable } from './connection/connection.ts';
import { MerkleTables } from './merkle-tables.ts';

/** Returns the head file of a store on this machine. */
export type HeadFilePlace = (storeId: string) => string;

/** Throws {@link UserError} if the log in a database contradicts the head file on this machine. */
export async function refuseOtherLog(
  db: Queryable,
  file: string,
  epochs: Epochs,
  name: string,
): Promise<void> {
  const acknowledged = readHeadFile(file);
  const wrong = acknowledged && (await contradictionIn(db, acknowledged, epochs));
  if (wrong === undefined) return;
  throw new UserError(
    `The log in ${name} ${wrong}, according to ${file}. Nothing was changed. Restore the ` +
      'database that has it; or, to accept the loss, stop all instances and continue in a new ' +
      'epoch: store-orders accept-loss',
  );
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
 * Opens the head file of a store on this machine. If it cannot be opened, nothing is noted, and
 * `trouble` is the reason.
 */
export function openHeadFile(
  file: string,
  { storeId, id }: Epochs,
): { readonly headFile?: HeadFile; readonly trouble?: string } {
  try {
    const isNew = readHeadFile(file) === undefined;
    makeFolder(dirname(file));
    return {
      headFile: new HeadFile(file, storeId, id),
      ...(isNew && {
        trouble: `there was no ${file}: events lost before this start cannot be detected`,
      }),
    };
  } catch (error) {
    const { message } = error as Error;
    return {
      trouble: `${file} cannot be written (${message}): the next start cannot detect lost events`,
    };
  }
}
