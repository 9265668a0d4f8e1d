import { copyFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Submission } from '../../../src/app/log/submission.ts';
import { OrderList } from '../../../src/app/state/order-list.ts';
import { Writer } from '../../../src/app/write/writer.ts';
import type { PetId } from '../../../src/domain/order-id.ts';
import { openSqliteForCommandLine, openSqliteStore } from '../../../src/infra/sqlite/store.ts';
import { readAll } from '../../support/events.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { isNightly } from '../../support/nightly.ts';
import { canMount, SmallDisk } from '../../support/small-disk.ts';
import { watcher } from '../../support/watcher.ts';

/** So many sizes of what is left on the disk are tried, from 0 KiB on. */
const SIZES = Number(process.env.FULL_DISK_SIZES ?? (isNightly ? 12 : 5));
/** The page of the file system: less than that is not left of it. */
const STEP_KIB = 4;
const BATCHES = 12;

function place(commandId: string): Submission {
  return {
    command: { type: 'PlaceNewOrder', petId: 1n as PetId, quantity: 1 },
    by: 'test',
    commandId,
  };
}

/** Every command id that a store's files show to a start, which may be one after a kill. */
async function recorded(folder: string): Promise<ReadonlySet<string>> {
  const copy = temporaryFolder();
  // Without the index: as after a kill, or a power cut that came when all was on the disk.
  for (const name of readdirSync(folder).filter((each) => /\.db(-wal|-head)?$/.test(each))) {
    copyFileSync(join(folder, name), join(copy, name));
  }
  const store = openSqliteForCommandLine(join(copy, 'store.db'));
  const ids = (await readAll(store.log)).map(({ metadata }) => metadata.commandId);
  await store.close();
  rmSync(copy, { recursive: true });
  return new Set(ids);
}

test.skipIf(!canMount)(
  'However much room is left: what is acknowledged is there after a kill, what is unavailable never is',
  async () => {
    const disk = new SmallDisk(2_048);
    const file = join(disk.folder, 'store.db');
    let next = 0;
    const acknowledged = new Set<string>();
    const unavailable = new Set<string>();
    for (let size = 0; size < SIZES; size++) {
      // Room for the last round to be put into the store's file.
      disk.resize(2_048 + size * 512);
      if (size % 2 === 1) disk.fill(size * STEP_KIB);
      const store = await openSqliteStore(file, watcher()).catch((error: Error) => error);
      if (store instanceof Error) throw store;
      await store.begin(Writer.startOf(new OrderList(() => null)));
      if (size % 2 === 0) disk.fill(size * STEP_KIB);
      for (let batch = 0; batch < BATCHES; batch++) {
        const ids = Array.from({ length: 1 + (batch % 4) * 8 }, () => `c-${next++}`);
        const outcomes = await store.writer.execute(ids.map(place));
        for (const [index, { kind }] of outcomes.entries()) {
          const id = ids[index] as string;
          if (kind === 'accepted') acknowledged.add(id);
          else if (kind === 'unavailable') unavailable.add(id);
          else expect.unreachable(`${kind} with ${size * STEP_KIB} KiB left`);
        }
        const there = await recorded(disk.folder);
        expect([...unavailable].filter((id) => there.has(id))).toEqual([]);
        expect([...acknowledged].filter((id) => !there.has(id))).toEqual([]);
      }
      disk.free();
      // It recovers by itself.
      while ((await store.writer.execute([place('again')]))[0]?.kind !== 'accepted') {
        await setTimeout(50);
      }
      await store.close();
    }
    expect(unavailable.size).toBeGreaterThan(0);
    expect(acknowledged.size).toBeGreaterThan(0);
  },
  60_000,
);
