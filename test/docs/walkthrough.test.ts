import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Service, start } from '../support/service.ts';
import { calledSince, readPage, stepsOf, tracing } from '../support/walkthrough.ts';

const PAGE = 'docs/walkthrough.md';

const ORDER = { petId: 1, quantity: 1 };

/** Longer than the service groups log lines or waits between two reads of the log's head. */
const QUIET_MS = 1_500;
/** Repetitions, so that other work which coincides with one request is not taken for a part of it. */
const SAMPLES = 3;

/**
 * Returns the files whose functions one cancellation calls, each with the names of these functions.
 *
 * The functions that the service calls without any request are subtracted, thread by thread: those of
 * its timers, and those that take in an event which another process has recorded.
 */
async function trace(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const { folder, env } = tracing();
  await using service = await Service.start({ ...env, SCRUB_BYTES_PER_SECOND: '0' });
  const quietly = async () => {
    await setTimeout(QUIET_MS);
    return calledSince(folder);
  };
  const orders = Array.from({ length: SAMPLES }, (_, index) => `/v1/store/orders/${index + 1}`);
  for (const _ of orders) await service.send('POST', '/v1/store/orders', ORDER);
  await quietly();
  writeFileSync(join(service.folder, 'orders.jsonl'), `${JSON.stringify({ id: 100, ...ORDER })}\n`);
  expect(await start(['import', 'orders.jsonl'], service.folder).ended()).toBe(0);
  const ownCalls = new Set(await quietly());
  const samples: ReadonlySet<string>[] = [];
  for (const order of orders) {
    for (const call of await quietly()) ownCalls.add(call);
    // The key is in the cache from here on, as for all requests of a busy client but the first.
    expect((await service.ask('GET', order)).status).toBe(200);
    await calledSince(folder);
    expect((await service.ask('DELETE', order)).status).toBe(204);
    samples.push(await quietly());
  }
  const files = new Map<string, Set<string>>();
  for (const call of samples.reduce((all, sample) => all.intersection(sample))) {
    const [, file = '', name = ''] = call.split(' ');
    if (!ownCalls.has(call)) files.set(file, (files.get(file) ?? new Set()).add(name));
  }
  return files;
}

test('the walkthrough names the files that a cancellation passes, and the functions called', async () => {
  const files = await trace();
  const steps = stepsOf(readPage(PAGE));
  expect(steps.map(({ file }) => file).toSorted()).toEqual([...files.keys()].sort());
  for (const { file, functions } of steps) {
    for (const name of functions) expect([...(files.get(file) ?? [])], file).toContain(name);
  }
});

test('the walkthrough counts the files that it names, and those that pass the command on', () => {
  const steps = stepsOf(readPage(PAGE));
  const numbers = steps.flatMap(({ number }) => number ?? []);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  const stated = readPage(PAGE).match(/\*\*(\d+) files\*\*, of which \*\*(\d+)\*\*/);
  expect(stated?.slice(1).map(Number)).toEqual([steps.length, numbers.length]);
  expect(numbers.length).toBeLessThanOrEqual(20);
});
