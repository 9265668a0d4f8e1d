import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { verifyCosignature } from '../../src/app/audit/proofs/cosignature.ts';
import { verifyTlogProof } from '../../src/app/audit/proofs/tlog-proof.ts';
import { verifyCheckpoint, verifyReceipt } from '../../src/app/audit/proofs/verifier.ts';
import {
  parseWitnessPolicy,
  type WitnessPolicy,
} from '../../src/app/audit/proofs/witness-policy.ts';
import { StoreOrders } from '../../src/client/client.ts';
import { readConfig } from '../../src/infra/settings/config.ts';
import { witnessesOf } from '../../src/witnesses.ts';
import { GivenWitness } from '../support/given-witness.ts';
import { ask, expectError } from '../support/http.ts';
import { newDatabase } from '../support/postgres/databases.ts';
import { newFolder, Service, start } from '../support/service.ts';

const LOG = 'shop.example.com/orders';

const closers: (() => void)[] = [];
afterAll(() => {
  for (const close of closers) close();
});

/** Starts a server for the whole file, and returns its address. */
async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts a witness as a server, below a path. Answers pass through `change` on their way. */
async function witnessServer(
  witness: GivenWitness,
  change: (answer: string, body: string) => string = (answer) => answer,
): Promise<string> {
  const address = await serving(async (req, res) => {
    const body = await text(req);
    const { status, body: answer } = witness.answer(body);
    res.statusCode = req.url === '/w/add-checkpoint' ? status : 404;
    res.end(change(answer, body));
  });
  return `${address}/w`;
}

let logKey = '';
const witness = (name: string) => new GivenWitness(`${name}.example/w`, () => logKey);
const [north, south, liar, slow, gone] = [
  witness('north'),
  witness('south'),
  witness('liar'),
  witness('slow'),
  witness('gone'),
];
let held = 0;
const urls = {
  north: await witnessServer(north),
  south: await witnessServer(south),
  // A valid line, but for another checkpoint.
  liar: await witnessServer(liar, () => liar.cosigner.cosign(`${LOG}\n1\nx\n`, 1_700_000_000)),
  slow: await serving(() => {
    held += 1;
  }),
  // Nobody listens there.
  gone: 'http://127.0.0.1:9',
};

const POLICY = [
  ...Object.entries({ north, south, liar, slow, gone }).map(([name, { cosigner }]) => {
    return `witness ${name} ${cosigner.verifierKey} ${urls[name as keyof typeof urls]}`;
  }),
  'group good 2 north south liar',
  'quorum good',
].join('\n');

const policy: WitnessPolicy = (() => {
  const parsed = parseWitnessPolicy(POLICY);
  return parsed.ok ? parsed.value : expect.fail(parsed.reason);
})();

const service = new Service();
afterAll(() => service[Symbol.asyncDispose]());
const env = {
  LOG_ORIGIN: LOG,
  WITNESS_POLICY: join(service.folder, 'witnesses'),
  WITNESS_INTERVAL: '1',
  TILES: 'public',
  METRICS_PORT: '0',
};
writeFileSync(env.WITNESS_POLICY, POLICY);
await service.start(env);
logKey = (await ask(service.address, 'GET', '/public-key')).text.trim();

const CHECKPOINT = '/v2/store/checkpoint';

async function place(id: number): Promise<number> {
  const { status } = await service.send('POST', '/v2/store/orders', {
    petId: `${id}`,
    quantity: 1,
  });
  return status;
}

/** Waits for a checkpoint with cosignatures that has so many events. */
async function witnessed(size: number): Promise<string> {
  let note = '';
  await expect
    .poll(
      async () => {
        const answer = await service.ask('GET', `${CHECKPOINT}?witnessed=true`);
        note = answer.text;
        const checkpoint = verifyCheckpoint(note, logKey);
        return checkpoint.ok && checkpoint.value.size;
      },
      { timeout: 60_000 },
    )
    .toBe(size);
  return note;
}

/** The names of the witnesses of the policy that have cosigned a note. */
function cosignersOf(note: string): string[] {
  return policy.witnesses
    .filter(({ key }) => {
      const verdict = verifyCosignature(note, key);
      return verdict.ok && verdict.value !== undefined;
    })
    .map(({ name }) => name);
}

describe('A log with witnesses', () => {
  it('has the name that it was given', async () => {
    expect(logKey.startsWith(`${LOG}+`)).toBe(true);
    for (const path of [`${CHECKPOINT}?witnessed=true`, '/tlog/checkpoint']) {
      const message = expectError(await service.ask('GET', path), 404, 'not_found');
      expect(message).toBe('no checkpoint has cosignatures of a quorum of witnesses yet.');
    }
    expectError(await service.ask('GET', `${CHECKPOINT}?witnessed=1`), 400, 'invalid_request');
  });

  it('is cosigned by a quorum, whatever the others do, and no client waits for that', async () => {
    expect(await place(1)).toBe(201);
    const note = await witnessed(1);
    expect(cosignersOf(note)).toEqual(['north', 'south']);
    // The slow witness has been asked, and answers nothing until the end of the test.
    expect(held).toBeGreaterThan(0);
    for (let id = 2; id <= 50; id += 1) expect(await place(id)).toBe(201);
    const newer = await witnessed(50);
    expect(cosignersOf(newer)).toEqual(['north', 'south']);
    expect(held).toBeGreaterThan(0);
    expect(north.asked.every(({ status }) => status === 200)).toBe(true);
  });

  it('publishes it as a log of tiles, and to its clients if it is the newest', async () => {
    const note = await witnessed(50);
    const tlog = await ask(service.address, 'GET', '/tlog/checkpoint');
    expect(tlog.text).toBe(note);
    const newest = await service.ask('GET', CHECKPOINT);
    expect(newest.text).toBe(note);
    const headers = { 'If-None-Match': newest.headers.etag ?? '' };
    expect((await service.ask('GET', CHECKPOINT, { headers })).status).toBe(304);
  });

  it('has receipts with cosignatures', async () => {
    const path = '/v2/store/events/7/receipt';
    const receipt = (await service.ask('GET', path)).text;
    expect(cosignersOf(JSON.parse(receipt).checkpoint)).toEqual(['north', 'south']);
    expect(verifyReceipt(receipt, logKey)).toMatchObject({ ok: true, value: { position: 7 } });
    const headers = { Accept: 'text/plain' };
    const proof = (await service.ask('GET', `${path}?witnessed=true`, { headers })).text;
    expect(verifyTlogProof(proof, logKey)).toMatchObject({ ok: true, value: { position: 7 } });
    expect(cosignersOf(proof.slice(proof.indexOf('\n\n') + 2))).toEqual(['north', 'south']);
  });

  it('shows their states, and is ready without them', async () => {
    const { status, text: body } = await ask(service.address, 'GET', '/readyz');
    expect(status).toBe(200);
    const shown = (name: string, outcome: unknown) => {
      return { name, outcome, lagSeconds: expect.any(Number) };
    };
    expect(JSON.parse(body)).toEqual({
      status: 'ready',
      witnesses: [
        { name: 'north', outcome: 'cosigned', lagSeconds: 0 },
        { name: 'south', outcome: 'cosigned', lagSeconds: 0 },
        shown('liar', 'invalid'),
        // Its time is over after a while, on a busy machine.
        shown('slow', expect.stringMatching(/^(?:none|unreachable)$/)),
        shown('gone', 'unreachable'),
      ],
    });
    const metrics = (await service.ask('GET', '/metrics')).text;
    expect(metrics).toContain('store_orders_witnessed_position 50\n');
    expect(metrics).toContain('store_orders_witness_position{witness="north"} 50\n');
    expect(metrics).toContain('store_orders_witness_lag_events{witness="south"} 0\n');
    expect(metrics).toContain('store_orders_witness_lag_events{witness="gone"} 50\n');
    expect(metrics).toMatch(/store_orders_witness_lag_seconds\{witness="gone"\} [1-9.]/);
    const [, lagS] = /lag_seconds\{witness="gone"\} (\S+)/.exec(metrics) ?? [];
    // This process is older than the service.
    const aliveS = performance.now() / 1_000;
    expect(Number(lagS)).toBeLessThanOrEqual(aliveS);
    const told = JSON.parse(body).witnesses as { name: string; lagSeconds: number }[];
    const gone = told.find(({ name }) => name === 'gone')?.lagSeconds;
    expect(gone).toBeLessThanOrEqual(Math.ceil(aliveS));
    expect(metrics).toMatch(/submissions_total\{witness="liar",outcome="invalid"\} [1-9]/);
    expect(metrics).toContain('submissions_total{witness="slow",outcome="cosigned"} 0\n');
    const messages = service.program.log.filter(({ witness = 'slow' }) => witness !== 'slow');
    expect(messages.map(({ witness, msg, level }) => [witness, msg, level]).sort()).toEqual([
      ['gone', 'a witness does not answer', 40],
      ['liar', 'the answer of a witness is not valid', 50],
      ['north', 'a witness cosigns', 30],
      ['south', 'a witness cosigns', 30],
    ]);
  });

  it('shows the newest cosigned checkpoint on the command line', async () => {
    const note = await witnessed(50);
    const run = async (...args: string[]) => {
      const program = start(['audit', ...args], service.folder, env);
      expect(await program.ended()).toBe(0);
      return program.stdout;
    };
    expect(await run('checkpoint', '--witnessed')).toBe(note);
    const receipt = await run('receipt', '--position', '50', '--witnessed');
    expect(JSON.parse(receipt).checkpoint).toBe(note);
  });

  it('stops without waiting for a witness, and continues after a restart', async () => {
    const before = await witnessed(50);
    expect(await service.program.end()).toBe(0);
    const record = readFileSync(`${service.databaseFile}-cosigned`, 'utf8');
    expect(JSON.parse(record)).toMatchObject({ origin: LOG, checkpoint: before });
    const [northAsked, southAsked] = [north.asked.length, south.asked.length];
    north.forget();
    await service.start(env);
    const tlog = await ask(service.address, 'GET', '/tlog/checkpoint');
    expect(tlog.text).toBe(before);
    expect(await place(51)).toBe(201);
    expect(cosignersOf(await witnessed(51))).toEqual(['north', 'south']);
    // This one has lost its state meanwhile, and says so.
    expect(north.asked.slice(northAsked)).toEqual([
      { oldSize: 50, status: 409 },
      { oldSize: 0, status: 200 },
    ]);
    expect(south.asked.slice(southAsked)).toEqual([{ oldSize: 50, status: 200 }]);
  });

  it('keeps its newest state apart from what is cosigned', async () => {
    expect(await service.program.end()).toBe(0);
    // Nobody cosigns any more.
    const strangers = POLICY.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:9');
    writeFileSync(env.WITNESS_POLICY, strangers);
    await service.start(env);
    expect(await place(52)).toBe(201);
    const note = await witnessed(51);
    const newest = (await service.ask('GET', CHECKPOINT)).text;
    expect(verifyCheckpoint(newest, logKey)).toMatchObject({ ok: true, value: { size: 52 } });
    expect(cosignersOf(newest)).toEqual([]);
    expect((await ask(service.address, 'GET', '/tlog/checkpoint')).text).toBe(note);
    const receipt = (await service.ask('GET', '/v2/store/events/52/receipt')).text;
    expect(JSON.parse(receipt).checkpoint).toBe(newest);
    const path = '/v2/store/events/52/receipt?witnessed=true';
    const message = expectError(await service.ask('GET', path), 404, 'not_found');
    expect(message).toBe(
      'no checkpoint that covers position 52 has cosignatures of a quorum of witnesses yet.',
    );
  });
});

it('On one PostgreSQL database, each instance submits what it serves, and none disturbs another', async () => {
  const folder = newFolder();
  let sharedKey = '';
  const only = new GivenWitness('only.example/w', () => sharedKey);
  const shared = {
    DATABASE_URL: await newDatabase(),
    SIGNING_KEY_FILE: join(folder, 'key'),
    WITNESS_POLICY: join(folder, 'witnesses'),
    WITNESS_INTERVAL: '1',
  };
  const address = await witnessServer(only);
  writeFileSync(
    shared.WITNESS_POLICY,
    `witness only ${only.cosigner.verifierKey} ${address}\nquorum only\n`,
  );
  await using one = await Service.start(shared);
  await using other = await Service.start(shared);
  sharedKey = (await ask(one.address, 'GET', '/public-key')).text.trim();
  for (let size = 1; size <= 3; size += 1) {
    await one.send('POST', '/v2/store/orders', { petId: '7', quantity: 1 });
    for (const instance of [one, other]) {
      await expect
        .poll(
          async () => {
            const { text } = await instance.ask('GET', `${CHECKPOINT}?witnessed=true`);
            const checkpoint = verifyCheckpoint(text, sharedKey);
            return checkpoint.ok && checkpoint.value.size;
          },
          { timeout: 60_000 },
        )
        .toBe(size);
    }
  }
  expect(only.size).toBe(3);
  // Beside the first requests of each, a conflict is answered with the size, and then solved.
  expect(only.asked.filter(({ status }) => ![200, 409].includes(status))).toEqual([]);
  const problems = [one, other].flatMap(({ program }) =>
    program.log.filter(({ level, witness }) => witness !== undefined && Number(level) > 30),
  );
  expect(problems).toEqual([]);
  const { witnessing, signingKeyFile } = readConfig({ ...shared, SIGNING_KEY_FILE: '' });
  expect(() => witnessesOf({ witnessing, signingKeyFile }, undefined, '00')).toThrow(
    'WITNESS_POLICY needs a key that signs checkpoints, and there is none: set SIGNING_KEY_FILE.',
  );
});

it('The client gets checkpoints and receipts with cosignatures', async () => {
  const store = new StoreOrders({ url: service.address, key: service.key });
  const note = await store.checkpoint({ witnessed: true });
  expect(cosignersOf(note).length).toBeGreaterThanOrEqual(2);
  const receipt = store.receipt({ position: 1 }, { witnessed: true });
  expect(JSON.parse(await receipt.text()).checkpoint).toBe(note);
  expect(await receipt.verify(logKey)).toMatchObject({ ok: true });
});

describe('A policy for logs', () => {
  it('that lacks the key of this one is a warning at the start', async () => {
    await using own = new Service();
    const file = join(own.folder, 'witnesses');
    const names = (key: string) => writeFileSync(file, `log ${key}\n${POLICY}`);
    const warnings = () => own.program.log.filter(({ msg }) => /WITNESS_POLICY/.test(String(msg)));
    names(logKey);
    await own.start({ WITNESS_POLICY: file });
    const key = (await ask(own.address, 'GET', '/public-key')).text.trim();
    const msg = `the log lines of WITNESS_POLICY lack the public key of this log: ${key}`;
    expect(warnings()).toMatchObject([{ level: 40, msg }]);
    await own.program.end();
    names(key);
    await own.start({ WITNESS_POLICY: file });
    expect(warnings()).toEqual([]);
  });
});
