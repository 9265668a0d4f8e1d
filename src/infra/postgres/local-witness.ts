import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { treeRoot } from '../../app/audit/merkle-proofs.ts';
import { Frontier } from '../../app/audit/merkle-tree.ts';
import { CannotStart } from '../../app/cannot-start.ts';
import type { Epochs } from '../../app/epochs.ts';
import { contradictionOf, type Witness } from '../../app/witness.ts';
import { readWitness, WitnessFile } from '../witness-file.ts';
import type { Queryable } from './database.ts';
import { MerkleTables, sizeOf } from './merkle-tables.ts';

/** Names the file of a store's witness on this machine, by the store's id. */
export type WitnessPlace = (storeId: string) => string;

/** How a log in a database contradicts a witness; `undefined` where it does not. */
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

/** Throws {@link CannotStart} where a log in a database is not the one that this machine was told of. */
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
    `The log in ${name} ${wrong}, says ${file}. Nothing was changed. Bring back the database that has ` +
      'it; or, if what is there is all there is, stop all instances and go on with it in a new ' +
      'epoch: store-orders accept-loss',
  );
}

/** What is told each edge of the log that this instance is told of. */
export interface EdgeWitness {
  note(edge: Buffer, highestId?: bigint): void;
  close(): void;
}

/**
 * Opens the witness of a store on this machine. Where it cannot be kept, `trouble` says why, and
 * nothing is noted.
 */
export function openWitness(
  file: string,
  { storeId, id }: Epochs,
): { readonly witness?: EdgeWitness; readonly trouble?: string } {
  try {
    const isNew = readWitness(file) === undefined;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const witness = new WitnessFile(file, storeId, id);
    return {
      witness: {
        note(edge, highestId) {
          const root = Frontier.unpack(edge).root().toString('hex');
          witness.write({ position: sizeOf(edge), root }, highestId);
        },
        close: () => witness.close(),
      },
      ...(isNew && { trouble: `there was no ${file}: a log that has lost events cannot be told` }),
    };
  } catch (error) {
    const { message } = error as Error;
    return {
      trouble: `${file} cannot be kept (${message}): the next start cannot tell whether the log has lost events`,
    };
  }
}
