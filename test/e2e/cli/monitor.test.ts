import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { verifyCheckpoint } from '../../../src/app/audit/proofs/verifier.ts';
import { NoteSigner } from '../../../src/app/audit/proving/checkpoint.ts';
import { Place, type Ran } from '../../support/command-line.ts';
import { cancelled, placed } from '../../support/events.ts';
import { oneService, placeOrder } from '../../support/one-service.ts';
import { publishedFiles, recordsOf } from '../../support/published.ts';
import { start } from '../../support/service.ts';

const signer = NoteSigner.generate('orders.example/log');

/** 400 orders, the first of which was cancelled. */
const RECORDS = recordsOf([
  ...Array.from({ length: 400 }, (_, n) => placed(BigInt(n + 1))),
  cancelled(1n),
]);
/** The same, in which another order was cancelled. */
const OTHERS = recordsOf([
  ...Array.from({ length: 400 }, (_, n) => placed(BigInt(n + 1))),
  cancelled(2n),
]);

/** A server that shows each reader what it likes. */
class Forger {
  files = new Map<string, Buffer>();
  /** Answers a request in another way. */
  answer: ((res: ServerResponse) => unknown) | undefined;
  readonly #server = createServer((req, res) => {
    if (this.answer !== undefined) return void this.answer(res);
    const bytes = this.files.get((req.url ?? '').replace('/tlog/', ''));
    return void (bytes === undefined ? res.writeHead(404).end() : res.end(bytes));
  });

  async listen(): Promise<void> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/tlog`;
  }

  /** Shows a log of these records. */
  show(records: readonly string[], by = signer, epoch?: string): void {
    this.answer = undefined;
    this.files = publishedFiles(records, by, epoch);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

const forger = new Forger();
await forger.listen();
afterAll(() => forger.close());

let place: Place;
beforeEach(() => {
  place = new Place();
  place.environment = { STORE_ORDERS_KEY: 'sto_of_the_forger' };
});

/** A command that writes the variables of an alert into the file `alert`. */
const exec = () => `env | grep ^STORE_ORDERS_ | grep -v KEY > ${place.file('alert')}`;
const alert = () => readFileSync(place.file('alert'), 'utf8').split('\n').toSorted();

/** Does one round. */
function round(...more: readonly string[]): Promise<Ran> {
  const given = ['--vkey', signer.verifierKey, '--url', forger.url, ...more];
  const state = place.file('log.state');
  return place.run('monitor', '--once', '--state', state, '--exec', exec(), ...given);
}

/** Returns the two checkpoints that were kept of a fork. */
function evidence(): string[] {
  const names = readdirSync(place.folder).filter((name) => name.includes('.fork-'));
  return names.map((name) => readFileSync(place.file(name), 'utf8'));
}

describe('A monitor of the service', async () => {
  const { service } = await oneService();
  const vkey = (await service.ask('GET', '/public-key')).text;

  /** Does one round at the service, with its key unless there is another. */
  const follow = (...more: readonly string[]) => {
    const url = `${service.address}/tlog`;
    return round('--url', url, '--vkey', place.write('log.vkey', vkey), ...more);
  };

  test('verifies all that is there, and then what is new, from tiles alone', async () => {
    place.environment = { STORE_ORDERS_KEY: service.key };
    const order = await placeOrder(service);
    await placeOrder(service);
    const first = await follow('--json');
    expect(first).toMatchObject({ code: 0, err: '' });
    const { size } = JSON.parse(first.out);
    expect(JSON.parse(first.out)).toMatchObject({ kind: 'verified', added: size, checked: size });

    await service.ask('DELETE', `/v1/store/orders/${order}`);
    const next = await follow();
    expect(next.code).toBe(0);
    expect(next.out).toContain(`  ${size + 1} events verified, 1 of them new: hashes and records`);
    expect(existsSync(place.file('alert'))).toBe(false);
  });

  test('checks the hashes alone if it may not have the records', async () => {
    place.environment = {};
    const none = await follow();
    expect(none.code).toBe(5);
    expect(none.err).toContain('Only the hashes are checked');
    expect(none.err).toContain('The log has refused to answer: checkpoint: status 401: ');
    expect(none.err).toMatch(/[^.]\.\n$/);
    const hashes = await follow('--key', service.key, '--hashes-only');
    expect([hashes.code, hashes.out]).toEqual([0, expect.stringContaining(': hashes\n')]);
    const all = await follow('--key', service.key);
    expect([all.code, all.out]).toEqual([0, expect.stringContaining(' 0 of them new: hashes and')]);
  });

  test('detects another view by the key of the log, and keeps both checkpoints', async () => {
    place.environment = { STORE_ORDERS_KEY: service.key };
    await placeOrder(service);
    await follow();
    const state = readFileSync(place.file('log.state'), 'utf8');
    const key = readFileSync(`${service.databaseFile}-signing-key`, 'utf8').trim();
    forger.show(RECORDS, NoteSigner.parse(key));
    const forked = await follow('--url', forger.url);
    expect(forked).toMatchObject({ code: 7, out: '' });
    expect(forked.err).toMatch(
      /^store-orders: The log has forked: the log of 401 events begins with other events than those that were signed at \d+\.\n$/,
    );
    const checkpoints = evidence().map((note) => verifyCheckpoint(note, vkey.trim()));
    expect(checkpoints).toEqual([{ ok: true, value: expect.anything() }, expect.anything()]);
    expect(evidence().toSorted()).toEqual(
      [JSON.parse(state).checkpoint, String(forger.files.get('checkpoint'))].toSorted(),
    );
    // Nothing of the forger is remembered: the log itself is as it was.
    expect(readFileSync(place.file('log.state'), 'utf8')).toBe(state);
    expect(await follow()).toMatchObject({ code: 0 });
  });
});

describe('Two views of one log', () => {
  test.each([
    ['of one size', OTHERS],
    ['of which the other is smaller', OTHERS.toSpliced(300, 1, OTHERS[301] ?? '').slice(0, 350)],
  ])('%s are detected in one round', async (_, view) => {
    forger.show(RECORDS);
    expect(await round()).toMatchObject({ code: 0 });
    forger.show(view);
    const forked = await round('--json');
    expect(forked.code).toBe(7);
    const { kind, known, other } = JSON.parse(forked.out);
    expect(kind).toBe('forked');
    expect(alert()).toEqual([
      '',
      'STORE_ORDERS_ALERT=forked',
      expect.stringMatching(/^STORE_ORDERS_ALERT_TEXT=The log has forked: \d+ events have two/),
      `STORE_ORDERS_KNOWN_CHECKPOINT=${known}`,
      `STORE_ORDERS_MONITOR_STATE=${place.file('log.state')}`,
      `STORE_ORDERS_OTHER_CHECKPOINT=${other}`,
    ]);
    expect(readFileSync(other, 'utf8')).toBe(String(forger.files.get('checkpoint')));
    // It is found again, and the evidence is not written over.
    const before = evidence();
    expect(await round('--exec', 'exit 9')).toMatchObject({
      code: 7,
      err: expect.stringMatching(
        /^The command of --exec has failed: exit code 9\.\nstore-orders: /,
      ),
    });
    expect(evidence()).toEqual(before);
  });

  test('are detected although the first was signed and never shown', async () => {
    forger.show(OTHERS);
    const note = String(forger.files.get('checkpoint'));
    for (const path of forger.files.keys()) if (path !== 'checkpoint') forger.files.delete(path);
    expect(await round()).toMatchObject({ code: 6 });
    forger.show(RECORDS.slice(0, 350));
    const earlier = await round();
    expect([earlier.code, earlier.err]).toEqual([
      6,
      'store-orders: The log has sent an earlier state: 350 events, after 401.\n',
    ]);
    forger.show(RECORDS);
    expect(await round()).toMatchObject({ code: 7 });
    const shown = String(forger.files.get('checkpoint'));
    expect(evidence().toSorted()).toEqual([note, shown].toSorted());
  });
});

describe('A monitor that cannot write', () => {
  // No file can have the longer name of a checkpoint, as no checkpoint is written on a full disk.
  const state = () => place.file('s'.repeat(230));
  const forged = () => {
    const records = RECORDS.with(200, OTHERS[201] ?? '');
    const tile = publishedFiles(records, signer).get('tile/0/000') as Buffer;
    forger.files.set('tile/0/000', tile);
  };

  test.each([
    ['forked', 7, () => forger.show(RECORDS.toSpliced(50, 1, RECORDS[51] ?? ''))],
    ['cut', 8, () => forger.show(RECORDS.slice(0, 90), signer, `1.${'c0de'.repeat(8)}`)],
    ['refuted', 3, forged],
  ] as const)('alerts if the log has %s, and shows the checkpoint', async (kind, code, change) => {
    forger.show(RECORDS.slice(0, 100));
    expect(await round('--state', state())).toMatchObject({ code: 0 });
    forger.show(RECORDS);
    change();
    const alerted = await round('--state', state());
    expect(alerted.code).toBe(code);
    expect(alerted.err).toContain('ENAMETOOLONG');
    expect(alerted.err).toContain(`not kept:\n${forger.files.get('checkpoint')}store-orders: `);
    expect(alert()).toContain(`STORE_ORDERS_ALERT=${kind}`);
  });

  test.each(['leaves', 'orders'])('names the file of its rows: %s', async (rows) => {
    symlinkSync('/dev/full', place.file(`log.state.${rows}`));
    forger.show(RECORDS);
    await round();
    const failed = await round();
    expect(failed.code).toBe(1);
    expect(failed.err).toMatch(
      new RegExp(`^store-orders: /\\S+/log\\.state\\.${rows} cannot be written: \\w+: [^\n]+\n$`),
    );
  });
});

describe('A log that was cut', () => {
  const epoch = `1.${'c0de'.repeat(8)}`;

  test('is an alert with both checkpoints, until its epoch is accepted', async () => {
    forger.show(RECORDS);
    await round();
    const before = String(forger.files.get('checkpoint'));
    forger.show(OTHERS, signer, epoch);
    const cut = await round('--json');
    expect(cut).toMatchObject({
      code: 8,
      err:
        `store-orders: The log was cut: it goes on in epoch ${epoch}, with the first 400 of 401 known ` +
        `events. If that is accepted: --accept-epoch ${epoch}\n`,
    });
    const { kind, kept, known, other } = JSON.parse(cut.out);
    expect([kind, kept]).toEqual(['cut', 400]);
    expect([known, other].map((file) => readFileSync(file, 'utf8'))).toEqual([
      before,
      String(forger.files.get('checkpoint')),
    ]);
    expect(alert()).toEqual(
      expect.arrayContaining([
        'STORE_ORDERS_ALERT=cut',
        `STORE_ORDERS_KNOWN_CHECKPOINT=${known}`,
        `STORE_ORDERS_OTHER_CHECKPOINT=${other}`,
      ]),
    );
    const accepted = await round('--accept-epoch', epoch);
    expect(accepted).toMatchObject({ code: 0, err: '' });
    expect(accepted.out).toMatch(
      / {2}401 events verified, 1 of them new: hashes and records; the log was cut: it goes on in epoch \S+, with the first 400 of 401 known events\n$/,
    );
    expect((await round()).out).toMatch(
      / {2}401 events verified, 0 of them new: hashes and records\n$/,
    );
    forger.show(RECORDS);
    expect(await round()).toMatchObject({ code: 3 });
  });

  test('is accepted by the id of an epoch', async () => {
    expect(await round('--accept-epoch', '1')).toMatchObject({ code: 2, out: '' });
  });
});

describe('A monitor', () => {
  test('reports an earlier state of the log, which is no fork', async () => {
    forger.show(RECORDS);
    await round();
    forger.show(RECORDS.slice(0, 300));
    expect(await round()).toMatchObject({
      code: 6,
      err: 'store-orders: The log has sent an earlier state: 300 events, after 401.\n',
    });
    expect(existsSync(place.file('alert'))).toBe(false);
  });

  test('keeps a signed checkpoint whose tiles are those of another history', async () => {
    forger.show(RECORDS.slice(0, 300));
    await round();
    forger.show(OTHERS);
    const signed = forger.files.get('checkpoint') as Buffer;
    forger.show(RECORDS);
    forger.files.set('checkpoint', signed);
    const refuted = await round('--json');
    expect(refuted.code).toBe(3);
    const { kind, known, other } = JSON.parse(refuted.out);
    expect([kind, known]).toEqual(['refuted', undefined]);
    expect(other).toMatch(/log\.state\.refuted-401-[\da-f]{16}\.checkpoint$/);
    expect(readFileSync(other)).toEqual(signed);
    expect(alert()).toEqual([
      '',
      'STORE_ORDERS_ALERT=refuted',
      expect.stringContaining('the tiles do not lead to the signed root'),
      `STORE_ORDERS_MONITOR_STATE=${place.file('log.state')}`,
      `STORE_ORDERS_OTHER_CHECKPOINT=${other}`,
    ]);
  });

  test('alerts when a tile is not what was signed', async () => {
    forger.show(RECORDS);
    for (const path of ['tile/0/000', 'tile/1/000.p/1', 'tile/entries/001.p/145', 'checkpoint']) {
      const bytes = forger.files.get(path) as Buffer;
      const flipped = Buffer.from(bytes);
      flipped.writeUInt8(flipped.readUInt8(30) ^ 1, 30);
      forger.files.set(path, flipped);
      const ran = await round();
      expect([ran.code, ran.err], path).toEqual([
        3,
        expect.stringContaining('The log has published what cannot be right: '),
      ]);
      expect(alert()).toContain('STORE_ORDERS_ALERT=refuted');
      forger.files.set(path, bytes);
    }
    expect(await round()).toMatchObject({ code: 0 });
  });

  test('reads the folder that audit tiles writes, as it grows', async () => {
    const lines = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => `${from + index},1,1\n`).join('');
    const out = place.file('tiles');
    const vkey = () => place.run('audit', 'public-key').then(({ out }) => out.trim());
    for (const [from, to] of [
      [1, 301],
      [301, 601],
    ] as const) {
      await place.run('import', place.write('a.csv', `id,petId,quantity\n${lines(from, to)}`));
      await place.run('audit', 'tiles', '--out', out);
      const ran = await round('--url', out, '--vkey', await vkey());
      expect(ran).toMatchObject({ code: 0, err: '' });
      expect(ran.out).toContain(`${to - 1} events verified, 300 of them new: hashes and records`);
    }
    const note = readFileSync(join(out, 'checkpoint'));
    writeFileSync(join(out, 'checkpoint'), Buffer.alloc(300_000, note));
    const long = await round('--url', out, '--vkey', await vkey());
    expect([long.code, long.err]).toEqual([5, expect.stringContaining('more than 262144 bytes')]);
    const none = await round('--url', place.file('nothing'), '--vkey', await vkey());
    expect([none.code, none.err]).toEqual([
      5,
      expect.stringContaining('the log has no checkpoint'),
    ]);
  });

  test.each<[string, (res: ServerResponse) => unknown, number, string]>([
    ['an error', (res) => res.writeHead(503).end(), 6, 'not answered: checkpoint: status 503.'],
    ['no answer', (res) => res.destroy(), 6, 'The log has not answered: checkpoint: '],
    [
      'a redirect',
      (res) => res.writeHead(302, { Location: '/elsewhere' }).end(),
      5,
      'refused to answer: checkpoint: status 302.',
    ],
    [
      'the page of a proxy',
      (res) => res.setHeader('Content-Type', 'text/html; charset=utf-8').end('<h1>Log in</h1>'),
      5,
      'refused to answer: checkpoint: the answer is a page for people',
    ],
    ['no file', (res) => res.writeHead(204).end(), 5, 'to answer: checkpoint: status 204.'],
    ['a part', (res) => res.writeHead(206).end('x'), 5, 'to answer: checkpoint: status 206.'],
    ['too much', (res) => res.end(Buffer.alloc(1 << 20)), 5, 'has more than 262144 bytes'],
    [
      'a text for the terminal',
      (res) => res.writeHead(404).end('{"message":"\\u001b[2Jgone"}'),
      5,
      'no checkpoint (status 404: ?[2Jgone)',
    ],
  ])('has no verdict after %s', async (_, answer, code, text) => {
    forger.answer = answer;
    const ran = await round();
    expect([ran.code, ran.err]).toEqual([code, expect.stringContaining(text)]);
    expect(existsSync(place.file('alert'))).toBe(false);
  });

  test('refuses a state that is not its own, and addresses that are none', async () => {
    forger.show(RECORDS);
    await round();
    const other = NoteSigner.generate('orders.example/log').verifierKey;
    const stranger = await place.run(
      ...['monitor', '--once', '--url', forger.url, '--vkey', other],
      ...['--state', place.file('log.state')],
    );
    expect([stranger.code, stranger.err]).toEqual([
      1,
      expect.stringContaining('is not signed with the public key'),
    ]);
    for (const url of ['http://a:b@localhost/tlog', 'http://localhost/tlog?a=b', 'http://']) {
      expect(await round('--url', url)).toMatchObject({ code: 2 });
    }
    for (const time of ['0', '1w', 'x', '99999999', '31d']) {
      expect(await round('--alert-after', time), time).toMatchObject({ code: 2 });
    }
  });
});

test('An API key that no request can carry is refused, and not taken for a log that is away', async () => {
  place.environment = { STORE_ORDERS_KEY: 'sto_of_the\nforger' };
  expect(await round()).toMatchObject({
    code: 1,
    err: 'store-orders: The API key has a character that none has.\n',
  });
});

describe('A monitor that goes on', () => {
  /** Starts it as a process of its own. */
  const begin = (...more: readonly string[]) =>
    start(
      [
        ...['monitor', '--url', forger.url, '--vkey', signer.verifierKey, '--interval', '1s'],
        ...['--state', place.file('log.state'), '--exec', exec(), ...more],
      ],
      place.folder,
      { STORE_ORDERS_KEY: 'sto_of_the_forger' },
    );
  const lines = (text: string) => text.split('\n').length - 1;

  test('waits for a log that is away, is alone on its state, and ends at a fork', async () => {
    forger.show(RECORDS.slice(0, 300));
    const monitor = begin();
    await monitor.until(({ stdout }) =>
      stdout.includes('300 events verified') ? true : undefined,
    );
    const second = await round();
    expect([second.code, second.err]).toEqual([1, expect.stringContaining('Another monitor is')]);
    forger.answer = (res) => res.destroy();
    await monitor.until(({ stderr }) => (stderr.includes('has not answered') ? true : undefined));
    forger.show(RECORDS);
    await monitor.until(({ stdout }) =>
      stdout.includes('401 events verified') ? true : undefined,
    );
    forger.show(OTHERS);
    expect(await monitor.ended()).toBe(7);
    expect(alert()).toContain('STORE_ORDERS_ALERT=forked');
    expect(evidence()).toHaveLength(2);
  });

  test('alerts after too long a silence, and ends well when it is stopped', async () => {
    forger.show(RECORDS);
    const stopped = begin();
    await stopped.until(({ stdout }) => (lines(stdout) > 1 ? true : undefined));
    expect(await stopped.end()).toBe(0);
    forger.answer = (res) => res.writeHead(500).end();
    const silent = begin('--alert-after', '2s');
    expect(await silent.ended()).toBe(6);
    expect(lines(silent.stderr)).toBeGreaterThan(1);
    expect(alert()).toContain('STORE_ORDERS_ALERT=silent');
  });
});

describe("A monitor's own files", () => {
  test('are read again if a bit of the hashes was changed, and accuse nobody', async () => {
    forger.show(RECORDS.slice(0, 338));
    expect(await round('--hashes-only')).toMatchObject({ code: 0 });
    const leaves = readFileSync(place.file('log.state.leaves'));
    for (const leaf of [10, 256, 337]) {
      const changed = Buffer.from(leaves);
      changed[leaf * 32 + 3] = (changed[leaf * 32 + 3] as number) ^ 1;
      writeFileSync(place.file('log.state.leaves'), changed);
      const { length } = changed;
      expect(await round('--hashes-only')).toMatchObject({ code: 0 });
      expect(readFileSync(place.file('log.state.leaves')).subarray(0, length)).toEqual(leaves);
      forger.show(RECORDS);
    }
  });

  test('are named if one is no text', async () => {
    writeFileSync(place.file('log.state'), Buffer.of(0xff, 0xfe));
    const { code, err } = await round();
    const state = place.file('log.state');
    expect([code, err]).toEqual([1, `store-orders: ${state} cannot be read: it is not UTF-8\n`]);
    const unproven = place.write('log.state.unproven', '{}');
    rmSync(state);
    expect(await round()).toMatchObject({
      code: 1,
      err:
        `store-orders: ${unproven} cannot be used: its format is another. Check --state and --vkey; or restore ` +
        'a copy of the file. Without it, what it remembers is never compared again.\n',
    });
  });
});
