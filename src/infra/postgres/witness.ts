/**
 * The witness of a store in PostgreSQL, in a file on each machine, and its comparison with the log.
 */

import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { CannotStart } from '../../app/lifecycle/cannot-start.ts';
import type { Epochs } from '../../app/log/epochs.ts';
import { treeRoot } from '../../app/log/merkle-proofs.ts';
import { sizeOf } from '../../app/log/merkle-tree.ts';
import { contradictionOf, type Witness } from '../../app/log/witness.ts';
import { readWitness, WitnessFile } from '../process/witness-file.ts';
import type { Queryable } from './connection/connection.ts';
import { MerkleTables } from './merkle-tables.ts';

/** Returns the file of a store's witness on this machine. */
export type WitnessPlace = (storeId: string) => string;

/** Throws {@link CannotStart} if the log in a database contradicts the witness on this machine. */
export async function refuseOtherLog(
  db: Queryable,
  file: string,
  epochs: Epochs,
  name: string,
): Promise<void> {
  const witness = readWitness(file);
  const wrong = witness && (await contradictionIn(db, witness, epochs));
  if (wrong === undefined) return;
  throw new CannotStart(
    `The log in ${name} ${wrong}, according to ${file}. Nothing was changed. Restore the ` +
      'database that has it; or, to accept the loss, stop all instances and continue in a new ' +
      'epoch: store-orders accept-loss',
  );
}

/** Returns the contradiction between the log in a database and a witness, if there is one. */
export async function contradictionIn(
  db: Queryable,
  witness: Witness,
  epochs: Epochs,
): Promise<string | undefined> {
  const tree = new MerkleTables(db);
  const position = sizeOf(await tree.edge());
  const root =
    witness.position <= position
      ? Buffer.from(await treeRoot(witness.position, tree)).toString('hex')
      : undefined;
  return contradictionOf(witness, { storeId: epochs.storeId, epochs, position, root });
}

/**
 * Opens the witness of a store on this machine. If it cannot be opened, nothing is noted, and
 * `trouble` is the reason.
 */
export function openWitness(
  file: string,
  { storeId, id }: Epochs,
): { readonly witness?: WitnessFile; readonly trouble?: string } {
  try {
    const isNew = readWitness(file) === undefined;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    return {
      witness: new WitnessFile(file, storeId, id),
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
