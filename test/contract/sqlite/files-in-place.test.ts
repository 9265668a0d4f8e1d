import { copyFileSync, existsSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
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

/** Opens a store without orders. */
async function serve(file = temporaryFile()): Promise<Serving> {
  const told: string[] = [];
  const store = await openSqliteStore(file, {
    impaired: (reason, cause) => void told.push(`${reason}: ${cause.message}`),
    mended: (reason) => void told.push(`${reason} no more`),
    lost: (cause) => void told.push(`lost: ${cause.message}`),
  });
  onTestFinished(() => store.close());
  await store.begin(Writer.startOf(new OrderList(() => null)));
  return { file, store, told };
}

async function serveOne(): Promise<Serving> {
  const serving = await serve();
  expect((await serving.store.writer.execute([place]))[0]?.kind).toBe('accepted');
  return serving;
}

it.each(['', '-wal', '-shm', '-server'])(
  'nothing is recorded while the file%s is moved away',
  async (end) => {
    const { file, store, told } = await serveOne();
    renameSync(file + end, `${file}-away`);
    const cause = `${file}${end} was moved, removed or replaced while it was open`;
    await expect.poll(() => told, WITHIN).toStrictEqual([`storage_failing: ${cause}`]);
    expect(await store.writer.execute([place])).toStrictEqual([{ kind: 'unavailable', cause }]);
    expect(await store.log.head()).toBe(1);
    renameSync(`${file}-away`, file + end);
    await expect.poll(() => told.at(-1), WITHIN).toBe('storage_failing no more');
    expect((await store.writer.execute([place]))[0]?.kind).toBe('accepted');
    expect(told).toHaveLength(2);
  },
);

it('only one of two servers records once the lock of the first was removed', async () => {
  const { file, store, told } = await serveOne();
  rmSync(`${file}-server`);
  const second = await serve(file);
  const cause = `${file}-server was moved, removed or replaced while it was open`;
  await expect.poll(() => told, WITHIN).toStrictEqual([`storage_failing: ${cause}`]);
  expect(await store.writer.execute([place])).toStrictEqual([{ kind: 'unavailable', cause }]);
  expect((await second.store.writer.execute([place]))[0]?.kind).toBe('accepted');
  expect(second.told).toStrictEqual([]);
});

it('nothing is recorded once the file is replaced, even by a copy of itself', async () => {
  const { file, store, told } = await serveOne();
  copyFileSync(file, `${file}-copy`);
  renameSync(`${file}-copy`, file);
  await expect
    .poll(async () => (await store.writer.execute([place]))[0]?.kind, WITHIN)
    .toBe('unavailable');
  expect(told).toHaveLength(1);
});

it.each([0, 4_000])('a -wal file that is cut to %i bytes is damage', async (bytes) => {
  const { file, store, told } = await serveOne();
  const { size } = statSync(`${file}-wal`);
  truncateSync(`${file}-wal`, bytes);
  const cause = `${file}-wal was cut to ${bytes} bytes, and had ${size} in use`;
  await expect.poll(() => told, WITHIN).toStrictEqual([`store_damaged: ${cause}`]);
  expect(await store.writer.execute([place])).toStrictEqual([{ kind: 'unavailable', cause }]);
});

it('a store that is only open, or only written to, has its files in their place', async () => {
  const made = await serve();
  await made.store.close();
  const { file, store, told } = await serve(made.file);
  // Longer than the interval between two looks.
  await setTimeout(1_500);
  expect(statSync(`${file}-wal`).size).toBe(0);
  for (const end = performance.now() + 1_500; performance.now() < end; ) {
    expect((await store.writer.execute([place]))[0]?.kind).toBe('accepted');
  }
  // Each checkpoint that works ends what may have impaired it.
  expect(told.filter((line) => line !== 'checkpoint_failing no more')).toStrictEqual([]);
});

it.each([
  ['is made anew where it alone was removed', ['-head'], true],
  ['is not where the store was, too', ['', '-wal', '-shm', '-head'], false],
] as const)('at a stop, the head file %s', async (_, ends, isMade) => {
  const { file, store } = await serveOne();
  for (const end of ends) rmSync(file + end);
  // Longer than the interval between two looks.
  await setTimeout(150);
  await store.close();
  expect(existsSync(`${file}-head`)).toBe(isMade);
});

it('a removed -wal file is saved by a stop', async () => {
  const { file, store } = await serveOne();
  rmSync(`${file}-wal`);
  await store.close();
  const again = await openSqliteStore(file, { impaired() {}, lost() {} });
  onTestFinished(() => again.close());
  expect(await again.log.head()).toBe(1);
});
