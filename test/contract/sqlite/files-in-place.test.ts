import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import type { Submission } from '../../../src/app/log/submission.ts';
import type { Store } from '../../../src/app/ports/store.ts';
import { OrderList } from '../../../src/app/state/order-list.ts';
import { Writer } from '../../../src/app/write/writer.ts';
import type { PetId } from '../../../src/domain/order-id.ts';
import { openSqliteStore } from '../../../src/infra/sqlite/store.ts';
import { temporaryFile } from '../../support/folder.ts';

/** Longer than the interval between two looks at the files, and than that of a probe. */
const WITHIN = { timeout: 20_000, interval: 20 };

const place: Submission = {
  command: { type: 'PlaceNewOrder', petId: 1n as PetId, quantity: 1 },
  by: 'test',
  commandId: 'c-1',
};

interface Serving {
  readonly file: string;
  readonly store: Store;
  /** What the watcher was told: an impairment with its cause, or its end. */
  readonly told: string[];
}

async function serve(): Promise<Serving> {
  const file = temporaryFile();
  const told: string[] = [];
  const store = await openSqliteStore(file, {
    impaired: (reason, cause) => void told.push(`${reason}: ${cause.message}`),
    mended: (reason) => void told.push(`${reason} no more`),
    lost: (cause) => void told.push(`lost: ${cause.message}`),
  });
  onTestFinished(() => store.close());
  await store.begin(Writer.startOf(new OrderList(() => null)));
  expect((await store.writer.execute([place]))[0]?.kind).toBe('accepted');
  return { file, store, told };
}

it.each(['', '-wal', '-shm'])('nothing is recorded while the file%s is moved away', async (end) => {
  const { file, store, told } = await serve();
  renameSync(file + end, `${file}-away`);
  const cause = `${file}${end} was moved, removed or replaced while it was open`;
  await expect.poll(() => told, WITHIN).toStrictEqual([`storage_failing: ${cause}`]);
  expect(await store.writer.execute([place])).toStrictEqual([{ kind: 'unavailable', cause }]);
  expect(await store.log.head()).toBe(1);
  renameSync(`${file}-away`, file + end);
  await expect.poll(() => told.at(-1), WITHIN).toBe('storage_failing no more');
  expect((await store.writer.execute([place]))[0]?.kind).toBe('accepted');
  expect(told).toHaveLength(2);
});

it('nothing is recorded once the file is replaced, even by a copy of itself', async () => {
  const { file, store, told } = await serve();
  copyFileSync(file, `${file}-copy`);
  renameSync(`${file}-copy`, file);
  await expect
    .poll(async () => (await store.writer.execute([place]))[0]?.kind, WITHIN)
    .toBe('unavailable');
  expect(told).toHaveLength(1);
});

it('a removed -wal file is saved by a stop', async () => {
  const { file, store } = await serve();
  rmSync(`${file}-wal`);
  await store.close();
  const again = await openSqliteStore(file, { impaired() {}, lost() {} });
  onTestFinished(() => again.close());
  expect(await again.log.head()).toBe(1);
});
