import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { runConformance } from '../../kit/conformance/conformance.ts';
import { several } from '../../kit/conformance/trial.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { isNightly } from '../../support/nightly.ts';
import type { Mutant } from '../mutated.ts';
import { conform, served } from './conform.ts';
import { CONTRACT_FAULTS } from './contract-faults.ts';
import { bare, type Fault, fail, since, watching } from './faulty.ts';
import { AT_ONCE, PAUSE_SECONDS } from './table.ts';

const SOUND: Mutant = { name: 'no fault at all' };

/** A given-up check that goes on sends a request each 20 ms or so. */
const SETTLED_MS = 500;

/** By day fewer programs, and none of the checks of what the contract leaves open: they find nothing here. */
const PLAIN = isNightly ? {} : { runs: 10, contractOnly: true };

/** Runs a script against a new server, and returns what it prints, without what always differs. */
function printed(mutant: Mutant, script: string): Promise<string> {
  return served(mutant, async ({ baseUrl: BASE, key: KEY }) => {
    const env = { ...process.env, BASE, KEY };
    const options = { env, cwd: temporaryFolder(), maxBuffer: 2 ** 26 };
    // The exit code is that of the last command, and says nothing.
    const { stdout } = await promisify(execFile)('sh', ['-c', script], options).catch(
      (error: { stdout: string }) => error,
    );
    return stdout.replaceAll(VARYING_HEADERS, '');
  });
}

const VARYING_HEADERS = /^(?:date|etag|x-request-id|content-length|event-position):.*\r\n/gim;

/** One fault of each kind of script. */
const SCRIPTED = [
  'any key may cancel',
  '"Bearer" alone may list',
  'the last character of the key does not matter',
  '12x cancels 12',
  'ids are read modulo 2^64',
  'the sign of an id is lost',
  'a 404 has no body',
  'quantities end at 1,000',
  'the list forgets shipped orders',
  'the next order is cancelled, too',
  'a shipped order can be cancelled after a second',
  'an order can be cancelled for a second',
];

/** The same, with hundreds of requests. */
const LONG_SCRIPTED = [
  'every 100th cancellation of a shipped order succeeds',
  'orders vanish after a second',
  'the list ends after 1,000 orders',
];

test('a script shows the fault again, and prints the same for a server without it', async () => {
  const missed: string[] = [];
  const names = isNightly
    ? [...SCRIPTED, ...LONG_SCRIPTED]
    : SCRIPTED.filter((_, index) => index % 6 === 2);
  await several(names.length, AT_ONCE, async (index) => {
    const name = names[index] as string;
    const fault = CONTRACT_FAULTS.find((each) => each.name === name) as Fault;
    const { orders = 0 } = fault;
    const { checks } = await conform(fault, { seed: 1, orders, pause: PAUSE_SECONDS, bail: true });
    const { script = '' } = checks.at(-1) ?? {};
    const [faulty, sound, again] = [
      await printed(fault, script),
      await printed(SOUND, script),
      await printed(SOUND, script),
    ];
    if (faulty === sound) missed.push(`${name} does not show: ${script}`);
    const isOfRace = script.includes(') &');
    if (sound !== again && !isOfRace)
      missed.push(`${name} does not always print the same: ${script}`);
  });
  expect(missed).toEqual([]);
});

/** Shipped orders of more than a thousand units can be cancelled after a second. */
const LATE_AND_LARGE: Mutant = {
  name: 'large shipped orders can be cancelled after a second',
  http: (app) => {
    const large = new Set<string>();
    return watching(app, (exchange) => {
      const { method, status, body, id, before } = exchange;
      if (method === 'POST' && status === 201 && JSON.parse(body).quantity > 1_000) large.add(id);
      const isLate = status === 409 && since(before?.shippedAt) > 1_000;
      if (method === 'DELETE' && isLate && large.has(id)) bare(exchange, 204);
    });
  },
};

test('the script of a check after the pause has the data of the order that failed', async () => {
  const options = { ...PLAIN, seed: 1, orders: 0, pause: PAUSE_SECONDS, bail: true };
  const { checks } = await conform(LATE_AND_LARGE, options);
  const { name, script = '' } = checks.at(-1) ?? {};
  expect(name).toBe('a shipped order cannot be cancelled after a pause either');
  const [, quantity] = /placed '\{"petId":-?\d+,"quantity":(\d+)/.exec(script) ?? [];
  expect(Number(quantity)).toBeGreaterThan(1_000);
  const [faulty, sound] = [await printed(LATE_AND_LARGE, script), await printed(SOUND, script)];
  expect(faulty).not.toBe(sound);
});

test('a cancellation is repeated more often than a careless server allows', async () => {
  const fifth: Mutant = {
    name: 'the fifth cancellation of an order is a 404',
    http: (app) => {
      const times = new Map<string, number>();
      return watching(app, (exchange) => {
        const { method, status, id } = exchange;
        if (method !== 'DELETE' || status !== 204) return;
        times.set(id, (times.get(id) ?? 0) + 1);
        if (times.get(id) === 5) fail(exchange, 404, 'order_not_found');
      });
    },
  };
  const { checks } = await conform(fifth, { seed: 1, orders: 0, pause: 0, bail: true });
  expect(checks.at(-1)).toMatchObject({
    name: 'a second cancellation is a 204, too',
    reason: expect.stringMatching(/^the 5th one is 404/),
  });
});

test('the values of a counterexample are the plainest ones that fail', async () => {
  const fault = CONTRACT_FAULTS.find(({ name }) => name === 'quantities end at 1,000') as Fault;
  // In the default time, a busy machine finds less plain ones.
  const { checks } = await conform(fault, {
    ...{ ...PLAIN, seed: 5, orders: 0, pause: 0 },
    shrinkTime: 120,
  });
  const found = checks.filter(({ name }) => /to the last digit|any program/.test(name));
  expect(found.map(({ result }) => result)).toEqual(['failed', 'failed']);
  for (const { script = '' } of found) {
    expect(script).toContain('placed \'{"petId":1,"quantity":1001}\'');
  }
});

test('the time of all checks is bounded', async () => {
  const slow: Mutant = {
    name: 'every answer takes a tenth of a second',
    http: (app) => (req, res) => void setTimeout(() => app(req, res), 100),
  };
  const report = await conform(slow, { seed: 1, maxTime: 3 });
  expect(report).toMatchObject({ failed: 0 });
  expect(report.skipped).toBeGreaterThan(5);
  expect(report.unfinished).toBe(report.skipped);
  expect(report.checks.at(-1)).toMatchObject({ result: 'skipped', reason: 'the time was over' });
});

test('a check that runs when the time is over ends, too', async () => {
  const silent: Mutant = {
    name: 'a request without a key is never answered',
    http: (app) => (req, res) => (req.headers.authorization ? app(req, res) : undefined),
  };
  const report = await conform(silent, { seed: 1, maxTime: 5, shrinkTime: 0 });
  expect(report).toMatchObject({ passed: 0, failed: 0 });
  expect(report.checks[0]).toMatchObject({ isUnfinished: true });
});

test.each<[string, string, Mutant, Parameters<typeof conform>[1]['adapter']]>([
  ['GET http://', 'a server that answers nothing', silentTo('GET'), undefined],
  ['POST http://', 'a server that answers no placement', silentTo('POST'), undefined],
  ["the adapter's place", 'an adapter', SOUND, { place: () => new Promise(() => {}) }],
])('the time counts from the first request on: %s has no end, with %s', async (...given) => {
  const [call, , mutant, adapter] = given;
  const options = { seed: 1, maxTime: 0.3, ...(adapter && { adapter }) };
  const { checks, ...report } = await conform(mutant, options);
  expect(report).toMatchObject({ passed: 0, failed: 0, unfinished: checks.length });
  const reason = expect.stringMatching(`^the time was over, and ${call}.* had no answer$`);
  for (const check of checks) expect(check).toMatchObject({ isUnfinished: true, reason });
});

function silentTo(method: string): Mutant {
  return {
    name: `no ${method} is answered`,
    http: (app) => (req, res) => (req.method === method ? undefined : app(req, res)),
  };
}

test('a check that was given up sends nothing more, and keeps no process alive', async () => {
  let asked = 0;
  const counted: Mutant = {
    name: 'every answer takes a moment',
    http: (app) => (req, res) => {
      asked += 1;
      setTimeout(() => app(req, res), 20);
    },
  };
  await served(counted, async (given) => {
    await runConformance({ ...given, seed: 1, maxTime: 0.1 });
    // What was on its way at the end may still arrive.
    await delay(SETTLED_MS);
    const before = asked;
    await delay(SETTLED_MS);
    expect(asked).toBe(before);
  });
});
