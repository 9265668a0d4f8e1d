import { UserError } from '../../app/lifecycle/user-error.ts';
import { type AcknowledgedHead, isLossAccepted } from '../../app/log/acknowledged-head.ts';
import type { AcceptedLoss } from '../../app/ports/store.ts';
import { readHeadFile, replaceHeadFile } from '../head/head-file.ts';
import { shownAddress } from '../settings/postgres-address.ts';
import { openDatabase, orClose } from './database.ts';
import { acceptBreak, epochsIn } from './epochs-table.ts';
import { contradictionIn, type HeadFilePlace } from './head-file.ts';

/**
 * Continues a log that has lost its end in a new epoch. Throws {@link UserError} if nothing is
 * missing according to the head file on this machine.
 */
export async function acceptLossInPostgres(
  url: string,
  place: HeadFilePlace,
): Promise<AcceptedLoss> {
  const { db, id } = await openDatabase(url, 'refuse');
  return orClose(db, url, async () => {
    const file = place(id);
    const acknowledged = readHeadFile(file);
    if (acknowledged === undefined) {
      throw new UserError(
        `There is no ${file}, so nothing is known to be missing. Run this on the machine of the ` +
          'instance that refuses to start, with its configuration.',
      );
    }
    const present = await epochsIn(db, id);
    const wrong = await contradictionIn(db, acknowledged, present);
    // The command that accepted it may have ended without a report.
    const isAccepted = wrong === undefined && isLossAccepted(acknowledged, present);
    if (wrong === undefined && !isAccepted) {
      throw new UserError(
        `Nothing that ${file} records is missing in ${shownAddress(url)}: there is no loss to accept.`,
      );
    }
    const note = (next: AcknowledgedHead) => replaceHeadFile(file, next);
    const epochs = isAccepted ? present : await acceptBreak(db, id, acknowledged, note);
    await db.close();
    return { head: epochs.breaks.at(-1)?.position ?? 0, epoch: epochs.id };
  });
}
