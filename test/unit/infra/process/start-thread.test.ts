import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { UserError } from '../../../../src/app/lifecycle/user-error.ts';
import { endThreads, startThread } from '../../../../src/infra/process/start-thread.ts';

const folder = mkdtempSync(join(tmpdir(), 'store-orders-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a thread that cannot be started is a reason that its user can remedy', () => {
  const start = () => startThread('sqlite/check-thread', {}, { execArgv: ['--no-such-option'] });
  expect(start).toThrow(UserError);
  expect(start).toThrow(/^A thread cannot be started: .*--no-such-option\. A limit of processes/);
});

it.each([
  ['EMFILE', 'open files may be too low (ulimit -n).'],
  ['EAGAIN', 'processes and threads may be too low (ulimit -u; pids.max of a container).'],
])('a thread that cannot be set up, by %s, has the limit in its reason', async (code, limit) => {
  const thread = startReader();
  const failed = once(thread, 'error');
  const message = `Worker initialization failure: ${code}`;
  thread.emit('error', Object.assign(new Error(message), { code: 'ERR_WORKER_INIT_FAILED' }));
  const [{ message: told }] = (await failed) as [Error];
  expect(told).toBe(`A thread cannot be started: ${message}. A limit of ${limit}`);
  await thread.terminate();
});

// One statement, which nothing interrupts: it takes about a tenth of a second.
const SLOW = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)
  SELECT max(i) FROM n`;

/** Starts a thread that reads by native code. */
function startReader(): Worker {
  const file = join(folder, 'some.db');
  new Database(file).close();
  return startThread('sqlite/side-reader-thread', { file, sql: SLOW });
}

/** The exit code of a thread that has ended itself; one that was interrupted has 1. */
const BY_ITSELF = 0;

describe('A thread ends itself', () => {
  it('after the native call that it is in', async () => {
    const reader = startReader();
    await once(reader, 'message');
    const exited = once(reader, 'exit');
    reader.postMessage({});
    // As a rule, the call has begun by then.
    await setTimeout(20);
    await reader.terminate();
    expect(await exited).toEqual([BY_ITSELF]);
  });

  it('after it has loaded its modules', async () => {
    const reader = startReader();
    const exited = once(reader, 'exit');
    await reader.terminate();
    expect(await exited).toEqual([BY_ITSELF]);
  });

  it('only once', async () => {
    const reader = startReader();
    await Promise.all([reader.terminate(), reader.terminate()]);
    await reader.terminate();
    expect(reader.threadId).toBe(-1);
  });
});

it('the owner of a thread that is ended with the process is told nothing', async () => {
  const reader = startReader();
  const told: string[] = [];
  for (const event of ['message', 'error', 'exit']) reader.on(event, () => told.push(event));
  await endThreads();
  expect(told).toEqual([]);
  expect(reader.threadId).toBe(-1);
});
