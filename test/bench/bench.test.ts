import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../support/chromium.ts';
import { temporaryFolder } from '../support/folder.ts';
import { isNightly } from '../support/nightly.ts';
import { CANCEL, CommandClients } from './commands.ts';
import { IdSequence } from './id-sequence.ts';
import { Ledger } from './ledger.ts';
import { loadGenerator } from './load.ts';
import { cleanUp } from './processes.ts';
import type { Row } from './row.ts';
import { startServer } from './servers.ts';
import { Stores } from './stores.ts';

const ORDERS = 400;
const ROWS_OF_THE_NIGHT = [
  ...[
    'the first',
    'from the middle',
    'a thousand orders',
    'of the last orders',
    'of a pet that nobody ordered',
    'by every filter, none of which lets any through',
  ].map((what) => `page of v2, 1 k: ${what}: p99`),
  'resident memory after a list, 1 k',
  'cancels, 64 connections, 1 k: with the tree',
  ...['hashes of leaves', 'hashes above them', 'entries'].map((what) => `tiles, 1 k: ${what}: p99`),
  'cancels, 64 connections, 1 k: with metrics, scraped',
  'metrics: an observation',
  'spans: a request without an SDK',
  'slow requests: the times that each request notes',
  expect.stringMatching(/^metrics: a scrape of [\d,]+ lines$/),
];
/** Far above what a busy machine takes. */
const TIMEOUT_MS = 600_000;

afterAll(cleanUp);

/** Runs the whole bench at a tiny size; its figures are irrelevant here. */
function runBench(args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
  const json = join(temporaryFolder(), 'results.json');
  const tiny = ['--rounds', '1', '--seconds', '0.3', '--orders', '1000', '--load', 'autocannon'];
  const program = join(import.meta.dirname, 'bench.ts');
  const given = [program, ...tiny, '--json', json, ...args];
  const patient = { ...env, BENCH_PATIENT: '1' };
  const options = { encoding: 'utf8', timeout: TIMEOUT_MS, env: patient } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, given, options);
  return { status, stdout, stderr, rows: () => JSON.parse(readFileSync(json, 'utf8')).rows };
}

/** Reads options as the bench does, in a process without its scenarios. */
function readOptions(args: readonly string[]) {
  const module = JSON.stringify(join(import.meta.dirname, 'options.ts'));
  const given = `${JSON.stringify(args)}, ['cancels']`;
  const program = `import { readOptions } from ${module}; readOptions(${given});`;
  const options = ['--input-type=module', '--eval', program];
  return spawnSync(process.execPath, options, { encoding: 'utf8', timeout: TIMEOUT_MS });
}

describe('The bench', () => {
  it('measures, checks the log, and writes its rows', { timeout: TIMEOUT_MS }, () => {
    const only = `cancels-256,gzip${isNightly ? ',v2-page,memory,tree,tiles,metrics' : ''}`;
    // In less, a busy machine may answer none of 256 clients.
    const { status, stdout, stderr, rows } = runBench(['--only', only, '--seconds', '1']);
    expect(status, stdout + stderr).toBe(0);
    const found = rows() as Row[];
    expect(found.map(({ name }) => name)).toStrictEqual([
      'cancels, 256 connections, 1 k: Express + bearer',
      'list, gzip, 100',
      ...(isNightly ? ROWS_OF_THE_NIGHT : []),
    ]);
    for (const { name, value, verdict } of found) {
      expect(stdout).toContain(name);
      if (verdict !== 'skipped') expect(value).toBeGreaterThan(0);
    }
  });

  it.runIf(isNightly)('measures one store of any size', () => {
    const { status, stdout, stderr, rows } = runBench(['--scale', '2000']);
    expect(status, stdout + stderr).toBe(0);
    const found = rows() as Row[];
    expect(found.map(({ name }) => name)).toStrictEqual(
      [
        'start',
        'start without a snapshot',
        'memory after the start',
        'cancels, 64 connections',
        'one order, 64 connections',
        'a page of v2: p99',
        'memory after these',
        'the first list: longest delay of the event loop',
        'the next list: longest delay of the event loop',
        'memory after a list',
        'memory after a compressed list',
      ].map((what) => `scale, 2 k: ${what}`),
    );
    for (const { value } of found) expect(value).toBeGreaterThanOrEqual(0);
  });

  it.each(isNightly ? ['1', '1500', '200001000', 'all'] : ['1500'])(
    'refuses a store of %s orders',
    (orders) => {
      const { status, stderr } = readOptions(['--scale', orders]);
      expect(status).toBe(1);
      expect(stderr).toContain('Not whole thousands up to 200 million.');
    },
  );

  it.runIf(isNightly)('has receipts of batches verified', () => {
    const { status, stdout, stderr, rows } = runBench(['--only', 'provable', '--orders', '10000']);
    expect(status, stdout + stderr).toBe(0);
    const found = rows() as Row[];
    expect(found).toHaveLength(2);
    for (const { value } of found) expect(value).toBeGreaterThan(0);
  });

  it('fails with the reason when a row could not be measured', () => {
    // Without wrk, and with the cat that reads the service's log: an empty PATH finds both.
    const PATH = temporaryFolder();
    symlinkSync('/bin/cat', join(PATH, 'cat'));
    const { status, rows } = runBench(['--only', 'gzip', '--load', 'wrk'], { PATH });
    expect(status).toBe(1);
    const failed = { name: 'gzip', verdict: 'failed', note: expect.stringMatching(/^wrk /) };
    expect(rows()).toStrictEqual([expect.objectContaining(failed)]);
  });

  it.runIf(isNightly)('compares two builds of the service in the same rounds', () => {
    const other = resolve(import.meta.dirname, '../..');
    const { status, stdout, stderr, rows } = runBench(['--quick', '--against', other]);
    expect(status, stdout + stderr).toBe(0);
    expect(rows()).toStrictEqual(
      ['cancel, 64 connections, 1 k', 'list, 4 connections, 1'].map((name) =>
        expect.objectContaining({ name, value: expect.any(Number), verdict: 'info' }),
      ),
    );
  });

  it.runIf(isNightly && CHROMIUM !== undefined)('measures the console in a browser', () => {
    const { status, stdout, stderr, rows } = runBench(['--only', 'console']);
    expect(status, stdout + stderr).toBe(0);
    const found = rows() as Row[];
    expect(found.map(({ name }) => name.split(', 1 k: ')[1])).toStrictEqual([
      'first rows',
      'interaction to next paint',
      'an event in the tail after its 201',
      // The orders of the store, and those that were placed meanwhile.
      'heap after 1,010 orders and 200 places of the log',
      'rows in the page',
    ]);
    for (const { value } of found) expect(value).toBeGreaterThan(0);
  });

  it('refuses an unknown scenario', () => {
    const { status, stderr } = readOptions(['--only', 'cancels,everything']);
    expect(status).toBe(1);
    expect(stderr).toContain('Unknown: everything.');
  });
});

describe('The check against the log', () => {
  it('detects cancels that were answered and not recorded', async () => {
    const store = await new Stores().pending(ORDERS);
    // A server that answers every cancel with 204 and records nothing.
    await using liar = await startServer('liar', 'express-bearer');
    const bench = { generator: loadGenerator('autocannon'), seconds: 2 };
    const clients = new CommandClients(bench, liar, CANCEL, ORDERS, 1);
    expect((await clients.measure(4)).answered).toBeGreaterThan(0);
    await expect(clients.check({ ...liar, store })).rejects.toThrow(/^0 OrderCancelled events for/);
  });

  it.each([
    ['an answer too many', { answered: 101 }, 0, '100 OrderCancelled events for 101 answers'],
    ['an event too many', { answered: 97 }, 2, 'with 2 cut off at most'],
    ['another order', { answered: 100, ids: [1] }, 0, 'order 1 was answered, but has no Order'],
  ])('catches %s', async (_what, seen, connections, message) => {
    const store = { ...(await new Stores().lived(ORDERS)), head: ORDERS };
    const ledger = new Ledger('OrderCancelled');
    ledger.note(seen, connections);
    await expect(ledger.check(store)).rejects.toThrow(message);
  });

  it('detects the cancel of an order that no request named', async () => {
    const store = { ...(await new Stores().lived(ORDERS)), head: ORDERS };
    const ledger = new Ledger('OrderCancelled', new IdSequence(ORDERS));
    ledger.note({ answered: 100 }, 0);
    await expect(ledger.check(store)).rejects.toThrow('that nobody asked for');
  });
});

describe('A sequence of ids', () => {
  it.each([1, 2, 10, 400, 1_000, 1_001])('contains each of %d orders once', (size) => {
    const sequence = new IdSequence(size);
    const ids = Array.from({ length: size }, (_, index) => sequence.at(index));
    expect(ids.toSorted((a, b) => a - b)).toStrictEqual(ids.map((_, index) => index + 1));
  });
});
