import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { promisify } from 'node:util';
import type { Report } from 'store-orders/testing';
import { describe, expect, test } from 'vitest';
import { CONNECTIONS } from '../../kit-mutants/contract/cancellations.ts';
import { changingRequests } from '../../kit-mutants/faults.ts';
import { MUTANTS } from '../../kit-mutants/mutants.ts';
import { type Mutant, mutatedListener } from '../../kit-mutants/mutated.ts';
import { Place } from '../../support/command-line.ts';
import { listening } from '../../support/listening.ts';
import { isNightly, partByDay } from '../../support/nightly.ts';

/** Starts a server for the running test, which records its requests. */
async function serve(listener: RequestListener) {
  const asked: string[] = [];
  const { address } = await listening((req, res) => {
    asked.push(`${req.method} ${req.url}`);
    listener(req, res);
  });
  return { baseUrl: `${address}/v1`, asked };
}

async function serveMutant(mutant: Mutant) {
  const { listener, ...keys } = await mutatedListener(mutant);
  return { ...(await serve(listener)), ...keys, listener };
}

/** Matches standard error of a run without a failure, even on a slow machine. */
const PROGRESS = /^(?:Checking: \d+ %\n)*$/;

const SOUND: Mutant = { name: 'no fault at all' };
/** Leaves out the pause, and the long list. */
const SHORT = ['--pause', '0', '--orders', '0'];
const SHORTEST = ['--runs', '20', ...SHORT];
const mutant = (name: string) => MUTANTS.find((each) => each.name === name) as Mutant;

/** Returns a trace of the specification in which these requests are decided. */
function traceOf(decided: readonly unknown[]): string {
  const world = { shown: { '#set': [] }, decided };
  const picks = { instance: { tag: 'Some', value: 1 } };
  return JSON.stringify({
    states: [{ 'mbt::actionTaken': 'decide', 'mbt::nondetPicks': picks, world }],
  });
}

const ONE_PLACEMENT = {
  request: {
    ...{ number: 1, hasKey: false, isAtomic: false },
    commands: [{ tag: 'Place', value: { '#tup': [] } }],
  },
  outcomes: [{ tag: 'Done', value: 1 }],
};

describe('conformance', () => {
  test('passes the service, and writes its report in three forms', async () => {
    const { baseUrl, key, revokedKey } = await serveMutant(SOUND);
    const place = new Place();
    const files = ['--junit', place.file('report.xml'), '--json', place.file('report.json')];
    const trace = place.write('one.itf.json', traceOf([ONE_PLACEMENT]));
    // The 1,100 orders without an option are many for a day.
    const fewer = isNightly ? [] : ['--orders', '150'];
    const options = [
      '--key',
      key,
      '--revoked-key',
      revokedKey,
      '--seed',
      '7',
      ...files,
      '--traces',
      trace,
      '--pause',
      '1',
      ...fewer,
    ];
    const { code, out, err } = await place.run('conformance', baseUrl, ...options);
    expect(code).toBe(0);
    expect(err).toMatch(PROGRESS);
    const report: Report = JSON.parse(readFileSync(place.file('report.json'), 'utf8'));
    expect(report).toMatchObject({ baseUrl, seed: 7, runs: 100, failed: 0, skipped: 0 });
    for (const { name, result } of report.checks) {
      expect(result).toBe('passed');
      expect(out).toContain(`✓ ${name}`);
    }
    expect(out).toContain('✓ every trace of the specification gets its answers');
    expect(out).toContain(`${report.checks.length} passed, 0 failed, 0 left out; seed 7`);
    const xml = readFileSync(place.file('report.xml'), 'utf8');
    expect(xml.match(/<testcase /g)).toHaveLength(report.checks.length);
    expect(out + xml).not.toContain(key);
  });

  test('prints the shortest counterexample of a violated rule, and exits with 1', async () => {
    const { baseUrl, key } = await serveMutant(mutant('a second cancellation is a 404'));
    const place = new Place();
    const junit = place.file('report.xml');
    const options = ['--key', key, '--runs', '100', '--seed', '1', '--junit', junit, ...SHORT];
    const { code, out, err } = await place.run('conformance', baseUrl, ...options);
    expect(code).toBe(1);
    const [failed, beyond] = [/^✗ /gm, /^✗ .* \*$/gm].map((broken) => out.match(broken)?.length);
    expect(failed).toBeGreaterThan(beyond ?? Infinity);
    const verdict = `breaks ${failed} rules, ${beyond} of them beyond the contract; --contract-only`;
    expect(err).toContain(`${baseUrl} ${verdict} checks the contract alone.\n`);
    expect(out).toContain('✗ a second cancellation is a 204, too *\n    the second one is 404 {');
    const [, script = ''] = out.split('✗ any program gets the answers of the table *\n');
    expect(script.match(/^ {4}(?:A=\$\(placed|orders -).*$/gm)).toEqual([
      // The values are 1, unless the time for shrinking is over before: fewer steps come first.
      expect.stringMatching(/^ {4}A=\$\(placed '\{"petId":-?\d+,"quantity":\d+\}'\)$/),
      `    orders -w '%{http_code}\\n' -X DELETE "$BASE/store/orders/$A"`,
      `    orders -w '%{http_code}\\n' -X DELETE "$BASE/store/orders/$A"`,
    ]);
    expect(readFileSync(junit, 'utf8')).toContain(
      '<failure message="the second one is 404 {&quot;code',
    );
  });

  test('with --read-only sends only GET requests, and still detects violations', async () => {
    const sound = await serveMutant(SOUND);
    const options = ['--key', sound.key, '--read-only'];
    const { code, out } = await new Place().run('conformance', sound.baseUrl, ...options);
    expect(code).toBe(0);
    expect(out).toContain('left out, only GET is sent, as was asked for');
    expect(sound.asked.length).toBeGreaterThan(20);
    for (const request of sound.asked)
      expect(request).toMatch(/^GET \/v1\/store\/orders(?:\/-?\d+)?$/);

    const open = await serveMutant(mutant('listing needs no key'));
    const found = await new Place().run(
      'conformance',
      open.baseUrl,
      '--key',
      open.key,
      '--read-only',
    );
    expect(found.code).toBe(1);
    expect(found.out).toContain('✗ a request without a key is a 401');
    expect(found.err).toMatch(/ breaks \d rules of the contract\.$/m);
    expect(open.asked.filter((request) => !request.startsWith('GET '))).toEqual([]);
  });

  test('changes no order that others have placed, even on a server without authentication', async () => {
    const { baseUrl, key, listener } = await serveMutant(mutant('cancelling needs no key'));
    const orders = `${baseUrl}/store/orders`;
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    for (let order = 0; order < 30; order++) {
      await fetch(orders, { method: 'POST', headers, body: '{"petId":1,"quantity":1}' });
    }
    const { baseUrl: watched, asked } = await serve(listener);
    await new Place().run('conformance', watched, '--key', key, '--runs', '40', ...SHORT);
    const touched = asked.flatMap(
      (request) => /^(?:DELETE|PUT) .*\/orders\/(\d+)/.exec(request)?.[1] ?? [],
    );
    expect(touched.length).toBeGreaterThan(20);
    expect(touched.filter((id) => Number(id) >= 1 && Number(id) <= 30)).toEqual([]);
  });

  test('places and ships orders through an adapter', async () => {
    const { listener, key } = await mutatedListener(SOUND);
    // This server has the operations beyond the contract at other paths.
    const { baseUrl } = await serve(
      changingRequests(listener, (req) => {
        const url = req.url ?? '';
        if (req.method === 'POST' || req.method === 'PUT') {
          req.url = url.includes('/backdoor') ? url.replace('/backdoor', '') : '/v1/nowhere';
        }
      }),
    );
    const place = new Place();
    const bare = await place.run('conformance', baseUrl, '--key', key, ...SHORTEST);
    expect(bare.code).toBe(0);
    expect(bare.out).toContain('POST /store/orders is a 404 here, and no adapter has place()');

    const adapter = place.write('adapter.mjs', ADAPTER);
    const options = ['--key', key, '--adapter', adapter, '--revoked-key', 'sto_gone', ...SHORTEST];
    const adapted = await place.run('conformance', baseUrl, ...options);
    expect(adapted).toMatchObject({ code: 0, err: expect.stringMatching(PROGRESS) });
    expect(adapted.out).toContain('left out, the adapter takes their place');
    expect(adapted.out).toContain('✓ of a shipment and cancellations at once, one kind wins');
    expect(adapted.out).toContain(' 0 failed, ');
  });

  test.each([
    ['is no JavaScript', 'export const place = ', 'adapter.mjs cannot be loaded: '],
    ['cannot be loaded', 'throw new Error("no database");', 'cannot be loaded: no database'],
    ['exports no functions', 'export const place = 5;', 'exports a place that is not a function.'],
    ['exports nothing of use', 'export const order = 5;', 'exports neither place nor ship.'],
    [
      'fails',
      'export async function place() { throw new Error("no luck"); }',
      "store-orders: Nothing was checked: the adapter's place failed: no luck.\n",
    ],
    [
      'fails at once',
      'export function place() { throw "no luck"; }',
      "store-orders: Nothing was checked: the adapter's place failed: no luck.\n",
    ],
    ...[
      ['nothing', '', 'undefined'],
      ['a text', '"order 17"', '"order 17"'],
      ['an unsafe number', '2 ** 53', '9007199254740992'],
      ['a fraction', '1.5', '1.5'],
      ['an id of 65 bits', '"9223372036854775808"', '"9223372036854775808"'],
      ['an order', '{ id: 17 }', '{"id": 17}'],
    ].map(([what, returned, shown]) => [
      `returns ${what}`,
      `export const place = async () => { return ${returned}; };`,
      `Nothing was checked: the adapter's place returned ${shown}, and should return the id of ` +
        'the order: a bigint, a string of digits, or a safe integer.\n',
    ]),
  ] as [string, string, string][])('names the mistake of an adapter that %s', async (...given) => {
    const [, text, message] = given;
    const { baseUrl, key } = await serveMutant(SOUND);
    const place = new Place();
    const adapter = place.write('adapter.mjs', text);
    const options = ['--key', key, '--adapter', adapter, ...SHORT];
    const { code, out, err } = await place.run('conformance', baseUrl, ...options);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(message);
  });

  test('ends in time, whatever an adapter leaves open', async () => {
    const { baseUrl, key } = await serveMutant(SOUND);
    const place = new Place();
    const started = 'export const place = () => new Promise(() => setTimeout(Date, 60_000));';
    // The requests before it are answered meanwhile, on a busy machine too.
    const time = ['--max-time', '4'];
    for (const text of [started, 'export const place = () => new Promise(() => {});']) {
      const options = ['--adapter', place.write('adapter.mjs', text), ...time];
      const args = ['dist/main.js', 'conformance', baseUrl, '--key', key, ...options];
      const ran = promisify(execFile)(process.execPath, args, { timeout: 30_000 });
      const error = await ran.catch((it) => it);
      expect(error).toMatchObject({ code: 9, stderr: expect.stringContaining('did not run') });
      expect(error.stdout).toContain("the time was over, and the adapter's place had no answer");
    }
  });

  test('does not wait for an adapter that is never loaded', async () => {
    const place = new Place();
    const adapter = place.write('adapter.mjs', 'await new Promise(() => {});');
    const options = ['--key', 'sto_none', '--adapter', adapter, '--max-time', '1'];
    const { code, err } = await place.run('conformance', 'http://127.0.0.1:1/v1', ...options);
    const reason = 'cannot be loaded: an await in it has no end.';
    expect([code, err]).toEqual([1, `store-orders: The adapter ${adapter} ${reason}\n`]);
  });

  test('does not wait for an adapter that is a pipe', async () => {
    const place = new Place();
    const pipe = place.file('adapter.mjs');
    execFileSync('mkfifo', [pipe]);
    const options = ['--key', 'sto_none', '--adapter', pipe];
    const { code, err } = await place.run('conformance', 'http://127.0.0.1:1/v1', ...options);
    const reason = 'cannot be loaded: it is not a file';
    expect([code, err]).toEqual([1, `store-orders: The adapter ${pipe} ${reason}\n`]);
  });

  test('takes an adapter whose ship returns nothing, and is not asynchronous', async () => {
    const { baseUrl, key } = await serveMutant(SOUND);
    const place = new Place();
    const adapter = place.write('adapter.mjs', 'export function ship() {}');
    const options = ['--key', key, '--adapter', adapter, '--runs', '1', '--bail', ...SHORT];
    const { code, out } = await place.run('conformance', baseUrl, ...options);
    expect(code).toBe(1);
    // It ships nothing, which is noticed.
    expect(out).toContain('✗ ');
    expect(out).toContain('with your adapter.');
  });

  test.each([
    ['--junit', 'no/such/folder.xml', 'ENOENT'],
    ['--json', '.', 'it is a folder'],
  ])('%s %s is refused before anything is checked', async (option, file, why) => {
    const { baseUrl, key, asked } = await serveMutant(SOUND);
    const place = new Place();
    const report = place.file(file);
    const { code, err } = await place.run('conformance', baseUrl, '--key', key, option, report);
    expect(code).toBe(1);
    expect(err).toContain(`store-orders: ${report} cannot be written: ${why}`);
    expect(asked).toEqual([]);
  });

  test('discloses neither the key nor a similar one', async () => {
    const { baseUrl, key } = await serveMutant(mutant('any key with a known id is let in'));
    // By day it ends with this violation, one of the first.
    const options = ['--key', key, ...SHORTEST, ...(isNightly ? [] : ['--bail'])];
    const { code, out } = await new Place().run('conformance', baseUrl, ...options);
    expect(code).toBe(1);
    expect(out).toContain('✗ a request with a key that is not valid is a 401');
    expect(out).not.toContain(key.slice(14, 24));
    expect(out).not.toContain(key.slice(-24, -14));
  });

  test("with --contract-only skips this service's own promises", async () => {
    const { baseUrl, key } = await serveMutant(mutant('the list is not sorted'));
    const place = new Place();
    const options = ['--key', key, ...SHORTEST];
    expect(await place.run('conformance', baseUrl, ...options, '--bail')).toMatchObject({
      code: 1,
    });
    const contract = await place.run('conformance', baseUrl, ...options, '--contract-only');
    expect(contract).toMatchObject({ code: 0, err: expect.stringMatching(PROGRESS) });
    expect(contract.out).not.toContain('*');
  });

  test('fails a check whose request is not answered, and goes on; --bail ends there', async () => {
    const fault = CONNECTIONS.find(({ name }) => name.includes('an order is not there')) as Mutant;
    const { baseUrl, key } = await serveMutant(fault);
    const options = ['--key', key, ...SHORTEST];
    const { code, out } = await new Place().run('conformance', baseUrl, ...options);
    expect(code).toBe(1);
    expect(out).toContain(
      '✗ the cancellation of an order that is not there is a 404\n' +
        '    every request is answered: there is no answer to DELETE http://127.0.0.1',
    );
    expect(out).toContain('✓ after a pause every order is as it was');
    const bailed = await new Place().run('conformance', baseUrl, ...options, '--bail');
    expect(bailed).toMatchObject({ code: 1, out: expect.not.stringContaining('after a pause') });
  });

  test('exits with 9 if the time was over before all checks had run', async () => {
    const { listener, key } = await mutatedListener(SOUND);
    const slow = await serve((req, res) => void setTimeout(() => listener(req, res), 50));
    const options = ['--key', key, '--max-time', '1', ...SHORTEST];
    const { code, out, err } = await new Place().run('conformance', slow.baseUrl, ...options);
    expect(code).toBe(9);
    expect(out).toMatch(/ 0 failed, \d+ left out \(\d+ because the time was over\); seed/);
    expect(err).toMatch(
      /^store-orders: \d+ of \d+ checks did not run, or not to their end: the time of 1 second was over\./m,
    );
  });

  test('does not read an answer without an end', async () => {
    const piece = Buffer.alloc(2 ** 20, ' ');
    let pieces = 0;
    const { baseUrl } = await serve((_, res) => {
      const write = () => {
        // More than Node.js could hold in one text.
        for (let isFree = true; isFree && pieces < 1_000; pieces += 1) isFree = res.write(piece);
        if (pieces >= 1_000) res.end();
      };
      res.on('drain', write);
      write();
    });
    const { code, err } = await new Place().run('conformance', baseUrl, '--key', 'sto_x');
    expect(code).toBe(1);
    expect(err).toContain(`GET ${baseUrl}/store/orders: it is longer than 256 MiB.`);
    expect(pieces).toBeLessThan(1_000);
  });

  test('reports why nothing could be checked', async () => {
    const place = new Place();
    const closed = await place.run('conformance', 'http://127.0.0.1:1/v1', '--key', 'sto_x');
    expect(closed.code).toBe(1);
    expect(closed.err).toContain(
      'Nothing was checked: there is no answer to GET http://127.0.0.1:1',
    );
    const { baseUrl } = await serveMutant(SOUND);
    const refused = await place.run('conformance', baseUrl, '--key', 'sto_x');
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('Nothing was checked: the key is refused');
    const missing = await place.run('conformance', baseUrl, '--key', 'x', '--adapter', 'none.mjs');
    expect(missing).toEqual({
      code: 1,
      out: '',
      err: 'store-orders: There is no adapter none.mjs.\n',
    });
    const empty = place.write('empty.mjs', 'export const nothing = 1;\n');
    const useless = await place.run('conformance', baseUrl, '--key', 'x', '--adapter', empty);
    expect(useless.err).toContain('exports neither place nor ship');
    const traces = ['--key', 'x', '--traces', 'none'];
    const traceless = await place.run('conformance', baseUrl, ...traces);
    expect(traceless).toMatchObject({ code: 1, out: '' });
    expect(traceless.err).toContain('There are no traces in none: ENOENT');
  });

  test.each(['', '/v1/store/orders', '/v2'])('asks for the right address at %j', async (path) => {
    const { baseUrl, key } = await serveMutant(SOUND);
    const address = baseUrl.replace('/v1', path);
    const { code, out, err } = await new Place().run('conformance', address, '--key', key);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/Nothing was checked: GET \S+ is a \d+ without a list of orders, and the/);
    expect(err).toContain('the address of an API ends in /v1, as in http://127.0.0.1:3000/v1.\n');
  });

  test('takes any address at which there is a list', async () => {
    const { listener, key } = await mutatedListener(SOUND);
    const { baseUrl } = await serve(
      changingRequests(listener, (req) => {
        req.url = req.url?.replace('/api/', '/v1/') ?? '';
      }),
    );
    const address = baseUrl.replace('/v1', '/api');
    const options = ['--key', key, '--read-only', ...SHORTEST];
    expect(await new Place().run('conformance', address, ...options)).toMatchObject({ code: 0 });
  });

  test('replays no traces if the server has no batches', async () => {
    const place = new Place();
    const trace = place.write('one.itf.json', traceOf([ONE_PLACEMENT]));
    // What is lacking is told even of a run that ends soon. On a busy machine, the requests that find it
    // out take more than a second.
    const options = ['--traces', trace, '--max-time', '4', ...SHORTEST];
    const without = await serveMutant({
      name: 'version 2 is elsewhere',
      http: (app) =>
        changingRequests(app, (req) => {
          req.url = req.url?.replace('/v2/', '/elsewhere/') ?? '';
        }),
    });
    const skipped = await place.run(
      'conformance',
      without.baseUrl,
      '--key',
      without.key,
      ...options,
    );
    expect(skipped.out).toContain(
      'left out, POST /store/orders:batchPlace of version 2 is a 404 here',
    );
  });

  test('fails for traces of which nothing is sent', async () => {
    const { baseUrl, key } = await serveMutant(SOUND);
    for (const text of partByDay([traceOf([]), '{"states":[]}'], 2)) {
      const place = new Place();
      const trace = place.write('empty.itf.json', text);
      const options = ['--key', key, '--runs', '1', '--traces', trace, ...SHORT];
      const { code, out, err } = await place.run('conformance', baseUrl, ...options);
      expect(code).toBe(1);
      expect(out).toContain('✗ every trace of the specification gets its answers *\n');
      expect(out).toContain('no request is decided in them');
      expect(err).toContain(
        ' breaks a rule that Store Orders promises beyond the contract; --contract-only checks',
      );
    }
  });

  test.each([
    [['not a url', '--key', 'k'], 'must be a URL'],
    [['ftp://x/v1', '--key', 'k'], 'must be a URL'],
    [['http://user:word@x/v1', '--key', 'k'], 'It must have neither a user nor a password.'],
    [['http://127.0.0.1:1/v1'], "'--key <key>' not specified"],
    [['http://127.0.0.1:1/v1', '--key', 'k', '--runs', '0'], 'whole number from 1 to 1000000'],
    [['http://127.0.0.1:1/v1', '--key', 'k', '--seed', '-1'], 'whole number from 0'],
    [['http://127.0.0.1:1/v1', '--key', 'k', '--concurrency', '1e2'], 'whole number from 1 to 256'],
    [['http://127.0.0.1:1/v1', '--key', 'k', '--max-time', '0'], 'whole number from 1 to 86400'],
    [['http://127.0.0.1:1/v1', '--key', 'k', '--shrink-time', '-1'], 'whole number from 0 to 3600'],
  ])('%j is a usage error', async (args, message) => {
    const { code, err } = await new Place().run('conformance', ...args);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});

const ADAPTER = `
async function ask(method, path, body, { baseUrl, key }) {
  const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' };
  const answer = await fetch(baseUrl + '/backdoor' + path, { method, headers, body });
  if (!answer.ok) throw new Error(path + ' is a ' + answer.status);
  return answer.headers.get('location');
}

export async function place({ petId, quantity, shipDate }, server) {
  const date = shipDate === undefined ? '' : ', "shipDate": "' + shipDate + '"';
  const body = '{"petId": ' + petId + ', "quantity": ' + quantity + date + '}';
  return (await ask('POST', '/store/orders', body, server)).split('/').at(-1);
}

export async function ship({ orderId, shipDate }, server) {
  await ask('PUT', '/store/orders/' + orderId + '/shipment', JSON.stringify({ shipDate }), server);
}
`;
