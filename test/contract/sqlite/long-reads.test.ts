import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { UserError } from '../../../src/app/lifecycle/user-error.ts';
import { fast } from '../../../src/infra/events/fast-path.ts';
import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { openLog } from '../../../src/infra/sqlite/event-log.ts';
import { SideReader } from '../../../src/infra/sqlite/side-reader.ts';
import { foldSourceIn } from '../../../src/infra/sqlite/stored-events.ts';
import { newEvent, placed } from '../../support/events.ts';
import { temporaryFile } from '../../support/folder.ts';

/** More than two chunks of the other thread, the last of which is not full. */
const EVENTS = 10_001;
/** After the first chunk in this thread, the other one is to read. */
const AFTER_CHUNKS = 1;
/** Longer than the other thread stays without a read. */
const IDLE_MS = 1_500;

async function longLog() {
  const file = temporaryFile();
  const log = openLog(file, openDatabase(file));
  onTestFinished(() => log.close());
  await log.append(0, () =>
    Array.from({ length: EVENTS }, (_, index) => newEvent(placed(BigInt(index + 1)))),
  );
  return { file, log };
}

/** A source of a log's events, with the threads that it has started so far. */
async function sourceOf(file: string, fileOfThread = file, mayStart = true) {
  const db = openDatabase(file);
  const threads: SideReader[] = [];
  const noThread = vi.fn((): never => {
    throw new UserError('A thread cannot be started: EAGAIN');
  });
  const start = (sql: string) => {
    const thread = new SideReader(fileOfThread, sql);
    threads.push(thread);
    vi.spyOn(thread, 'get');
    return thread;
  };
  const source = foldSourceIn(db, mayStart ? start : noThread, AFTER_CHUNKS);
  onTestFinished(async () => {
    await source.close?.();
    db.close();
  });
  /** Reads all events after a position, and calls `between` between the chunks. */
  async function read(after = 0, between: () => Promise<unknown> = async () => undefined) {
    const ids: bigint[] = [];
    let position = after;
    for (let count = 1; count > 0; position += count) {
      count = await source.next(position, ({ orderId }) => ids.push(orderId) > 0);
      await between();
    }
    return ids;
  }
  /** Lets the thread that was started last become ready. */
  const ready = async () => threads.at(-1)?.ready.catch(() => undefined);
  return { read, ready, threads, noThread, close: async () => source.close?.() };
}

const ALL = Array.from({ length: EVENTS }, (_, index) => BigInt(index + 1));

describe.skipIf(fast === undefined)('a long read', () => {
  it('takes place in another thread, from some chunk on', async () => {
    const { file } = await longLog();
    const { read, ready, threads } = await sourceOf(file);
    expect(await read(0, ready)).toStrictEqual(ALL);
    expect(threads).toHaveLength(1);
    expect(vi.mocked(threads[0] as SideReader).get.mock.calls.length).toBeGreaterThan(2);
  });

  it('includes what was appended meanwhile', async () => {
    const { file, log } = await longLog();
    const { read, ready } = await sourceOf(file);
    await read(0, ready);
    await log.append(EVENTS, () => [newEvent(placed(BigInt(EVENTS + 1)))]);
    expect(await read(EVENTS)).toStrictEqual([BigInt(EVENTS + 1)]);
  });

  it('is finished in this thread where the other one ends', async () => {
    const { file } = await longLog();
    const { read, ready, threads } = await sourceOf(file);
    let chunks = 0;
    const between = async () => {
      await ready();
      if (++chunks === 4) await threads[0]?.close();
    };
    expect(await read(0, between)).toStrictEqual(ALL);
    expect(await read(0, ready)).toStrictEqual(ALL);
    expect(threads).toHaveLength(1);
  });

  it('takes place in this thread where the other one cannot read the file', async () => {
    const { file } = await longLog();
    const { read, ready, threads } = await sourceOf(file, `${file}-absent`);
    expect(await read(0, ready)).toStrictEqual(ALL);
    expect(threads).toHaveLength(1);
    await expect(threads[0]?.ready).rejects.toThrow('unable to open database file');
  });

  it('takes place in this thread where no other can be started, which is tried once', async () => {
    const { file } = await longLog();
    const { read, noThread } = await sourceOf(file, file, false);
    expect(await read()).toStrictEqual(ALL);
    expect(await read()).toStrictEqual(ALL);
    expect(noThread).toHaveBeenCalledOnce();
  });

  it('ends although it is closed while the other thread starts', async () => {
    const { file } = await longLog();
    const { read, threads, close } = await sourceOf(file);
    const closed: Promise<unknown>[] = [];
    const between = async () => {
      if (threads.length === 1 && closed.length === 0) closed.push(close());
    };
    expect(await read(0, between)).toStrictEqual(ALL);
    await Promise.all(closed);
    expect(await read()).toStrictEqual(ALL);
  });

  it('leaves no thread behind', async () => {
    const { file } = await longLog();
    const { read, ready, threads } = await sourceOf(file);
    await read(0, ready);
    await setTimeout(IDLE_MS);
    await expect(threads[0]?.get({})).rejects.toThrow('the thread has ended');
    expect(await read(0, ready)).toStrictEqual(ALL);
    expect(threads).toHaveLength(2);
  });
});
