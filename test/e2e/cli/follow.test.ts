import { createPublicKey, verify } from 'node:crypto';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { NoteSigner } from '../../../src/app/audit/proving/checkpoint.ts';
import { Place } from '../../support/command-line.ts';
import { freePort } from '../../support/free-port.ts';
import { isNightly } from '../../support/nightly.ts';
import { oneService, placeOrder } from '../../support/one-service.ts';
import { backUp, restore } from '../../support/restored-backup.ts';
import { json, refusal, ScriptedServer } from '../../support/scripted-server.ts';
import { newFolder, type Program, Service, start } from '../../support/service.ts';
import { canMount, SmallDisk } from '../../support/small-disk.ts';

const { service } = await oneService();

interface Post {
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
  readonly position: number;
  readonly order: string;
}

/** A receiver of posts in this process. */
class Receiver {
  readonly posts: Post[] = [];
  /** Answers a post. */
  answer: (post: Post, res: ServerResponse) => void = (_, res) => void res.writeHead(204).end();
  readonly #server = createServer(async (req, res) => {
    const body = Buffer.concat(await req.toArray()).toString();
    const { position, subject: order } = JSON.parse(body);
    const post = { body, headers: req.headers, position, order };
    this.posts.push(post);
    this.answer(post, res);
  });

  async listen(port = 0): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(port, '127.0.0.1', done));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/events`;
  }

  get positions(): readonly number[] {
    return this.posts.map(({ position }) => position);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

let receiver: Receiver;
let folder: string;

beforeEach(() => {
  receiver = new Receiver();
  folder = newFolder();
});

afterEach(() => receiver.close());

/** Starts the follower as a process of its own, beside the store whose key signs. */
function follow(...args: readonly string[]): Program {
  return followOf(service, ...args);
}

function followOf({ address, key, databaseFile }: Service, ...args: readonly string[]): Program {
  const file = join(folder, 'checkpoint');
  return start(['follow', '--checkpoint', file, ...args], folder, {
    STORE_ORDERS_URL: address,
    STORE_ORDERS_KEY: key,
    DATABASE_URL: `sqlite:${databaseFile}`,
  });
}

const head = async () => {
  const order = await placeOrder(service);
  const answer = await service.ask('GET', `/v1/store/orders/${order}/events`);
  return JSON.parse(answer.text)[0].position as number;
};

/** Records some events and returns the position before them, and theirs. */
async function recorded(orders: number): Promise<{ after: string; positions: number[] }> {
  const before = await head();
  for (let n = 0; n < orders; n++) await placeOrder(service);
  return {
    after: String(before),
    positions: Array.from({ length: orders }, (_, n) => before + 1 + n),
  };
}

const kept = () => JSON.parse(readFileSync(join(folder, 'checkpoint'), 'utf8'));

/** Returns each position once, in the order in which it came first. */
const firsts = (positions: readonly number[]) => [...new Set(positions)];

describe('A follower', () => {
  test('posts each event once and in order, and remembers how far it has come', async () => {
    const { after, positions } = await recorded(5);
    const url = await receiver.listen();
    expect(await follow('--post', url, '--after', after, '--once').ended()).toBe(0);
    expect(receiver.positions).toEqual(positions);
    expect(kept()).toMatchObject({ after: String(positions.at(-1)), parked: [] });
    const more = await recorded(1);
    expect(await follow('--post', url, '--once').ended()).toBe(0);
    expect(receiver.positions).toEqual([...positions, Number(more.after), ...more.positions]);
  });

  test.skipIf(!canMount)('delivers nothing where its checkpoint finds no room', async () => {
    const { after, positions } = await recorded(2);
    const url = await receiver.listen();
    const disk = new SmallDisk(64);
    folder = disk.folder;
    expect(await follow('--post', url, '--after', after, '--once').ended()).toBe(0);
    const more = await recorded(1);
    // Room for the lock, and for nothing else.
    disk.fill(4);
    const checkpoint = readFileSync(join(folder, 'checkpoint'), 'utf8');
    for (let start = 1; start <= 2; start++) {
      const program = follow('--post', url, '--once');
      expect(await program.ended()).toBe(1);
      expect(program.stderr).toMatch(/checkpoint cannot be written: ENOSPC/);
    }
    expect(receiver.positions).toEqual(positions);
    expect(readFileSync(join(folder, 'checkpoint'), 'utf8')).toBe(checkpoint);
    disk.free();
    expect(await follow('--post', url, '--once').ended()).toBe(0);
    expect(receiver.positions).toEqual([...positions, Number(more.after), ...more.positions]);
  });

  test('refuses a log that does not reach to where it was, as one restored from an older copy', async () => {
    const { positions } = await recorded(1);
    const end = positions.at(-1) as number;
    for (const args of [['--once'], []]) {
      writeFileSync(join(folder, 'checkpoint'), `{"after":"${end + 1}","parked":[]}`);
      const follower = follow('--exec', 'cat', ...args);
      expect(await follower.ended()).toBe(5);
      expect(follower.stderr).toContain(`after: the log ends at position ${end} (`);
      expect(kept().after).toBe(String(end + 1));
    }
  });

  test.each([
    ['garbage', 'is not valid JSON'],
    ['null', 'cannot be read: it is not as a follower writes it'],
    ['{"parked":[]}', 'its member after is not as a follower writes it'],
    ['{"after":7,"parked":[]}', 'its member after is not as a follower writes it'],
    ['{"after":"-1","parked":[]}', 'its member after is not as a follower writes it'],
    ['{"after":"7"}', 'its member parked is not as a follower writes it'],
    ['{"after":"7","parked":[{}]}', 'its member parked.0.event is not as a follower writes it'],
    [
      '{"after":"7","parked":[{"event":{"id":"1"},"at":"","tries":1,"reason":""}]}',
      'its member parked.0.event.type is not as a follower writes it',
    ],
    ['{"after":"7","log":7,"parked":[]}', 'its member log is not as a follower writes it'],
  ])('does not go on from a checkpoint that is none: %s', async (text, problem) => {
    // In this process: it does not come to following.
    const place = new Place();
    place.environment = { STORE_ORDERS_URL: service.address, STORE_ORDERS_KEY: service.key };
    const file = join(folder, 'checkpoint');
    for (const args of [['--exec', 'cat'], ['--parked']]) {
      writeFileSync(file, text);
      const { code, err } = await place.run('follow', '--checkpoint', file, ...args);
      expect(code).toBe(1);
      expect(err).toContain(`store-orders: The checkpoint ${file} cannot be read: `);
      expect(err).toContain(problem);
      expect(readFileSync(file, 'utf8')).toBe(text);
    }
  });

  test('signs as Standard Webhooks has it, with the key of the log', async () => {
    const { after } = await recorded(1);
    const url = await receiver.listen();
    expect(await follow('--post', url, '--after', after, '--once').ended()).toBe(0);
    const [{ body = '', headers = {} } = {}] = receiver.posts;
    const vkey = (await service.ask('GET', '/public-key')).text.trim();
    const raw = Buffer.from(vkey.replace(/^[^+]*\+[^+]*\+/, ''), 'base64').subarray(1);
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') };
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = headers;
    const signed = Buffer.from(`${id}.${at}.${body}`);
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    expect(String(signature)).toMatch(/^v1a,/);
    expect(verify(null, signed, key, Buffer.from(String(signature).slice(4), 'base64'))).toBe(true);
    expect(Math.abs(Number(at) - Date.now() / 1_000)).toBeLessThan(300);
    expect(headers['content-type']).toBe('application/cloudevents+json; charset=utf-8');
    // To the byte what the service has answered.
    const page = await service.ask('GET', `/v1/store/events?after=${after}&limit=1`);
    expect(`[${body}]`).toBe(page.text);
  });

  test('waits for a receiver that is away, however often, and parks nothing', async () => {
    const { after, positions } = await recorded(2);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/events`;
    const follower = follow('--post', url, '--after', after, '--once', '--tries', '1');
    await follower.until(
      ({ stderr }) => /ECONNREFUSED.*\n[\s\S]*ECONNREFUSED/.exec(stderr) ?? undefined,
    );
    let answers = 0;
    receiver.answer = (_, res) => void res.writeHead(answers++ < 2 ? 503 : 200).end();
    await receiver.listen(port);
    expect(await follower.ended()).toBe(0);
    expect(firsts(receiver.positions)).toEqual(positions);
    expect(kept().parked).toEqual([]);
  });

  test('leaves a receiver alone until the date that it has set', async () => {
    const { after } = await recorded(1);
    const soon = {
      Date: 'Tue, 24 Nov 2026 08:00:00 GMT',
      'Retry-After': 'Tue, 24 Nov 2026 08:15:00 GMT',
    };
    receiver.answer = (_, res) => void res.writeHead(503, soon).end();
    const follower = follow('--post', await receiver.listen(), '--after', after);
    await follower.until(({ stderr }) => /Next attempt in 900\.0 s/.exec(stderr) ?? undefined);
    expect(await follower.end()).toBe(0);
  });

  test('keeps to one event in flight with a slow receiver', async () => {
    const { after, positions } = await recorded(4);
    let open = 0;
    let most = 0;
    receiver.answer = async (_, res) => {
      most = Math.max(most, ++open);
      await setTimeout(50);
      open -= 1;
      res.end();
    };
    const url = await receiver.listen();
    expect(await follow('--post', url, '--after', after, '--once').ended()).toBe(0);
    expect(receiver.positions).toEqual(positions);
    expect(most).toBe(1);
  });

  test('parks an event that fails, and all later ones of its order, until they are retried', async () => {
    const after = String(await head());
    const bad = await placeOrder(service);
    const good = await placeOrder(service);
    await service.ask('DELETE', `/v1/store/orders/${bad}`);
    await service.ask('DELETE', `/v1/store/orders/${good}`);
    const failing = (post: Post, res: ServerResponse) =>
      void res.writeHead(post.order === bad ? 500 : 200).end();
    receiver.answer = failing;
    const url = await receiver.listen();
    const args = ['--post', url, '--after', after, '--once', '--tries', '2'];
    expect(await follow(...args).ended()).toBe(0);
    const first = Number(after) + 1;
    expect(receiver.positions).toEqual([first, first, first + 1, first + 3]);
    const shown = follow('--parked');
    expect(await shown.ended()).toBe(0);
    expect(shown.stdout).toMatch(
      new RegExp(
        `^position\tevent\torder\tparked\ttries\treason\n` +
          `${first}\tOrderPlaced\t${bad}\t\\S+\t2\tstatus 500\n` +
          `${first + 2}\tOrderCancelled\t${bad}\t\\S+\t0\tbehind position ${first}\n$`,
      ),
    );
    // Still failing: both stay, in their order, and the second is not tried.
    expect(await follow(...args, '--retry').ended()).toBe(0);
    expect(receiver.positions.slice(4)).toEqual([first, first]);
    expect(kept().parked.map(({ event }: { event: Post }) => event.position)).toEqual([
      first,
      first + 2,
    ]);
    receiver.answer = (_, res) => void res.end();
    expect(await follow(...args, '--retry').ended()).toBe(0);
    expect(receiver.positions.slice(6)).toEqual([first, first + 2]);
    const bodies = receiver.posts.filter(({ position }) => position === first);
    expect(new Set(bodies.map(({ body }) => body)).size).toBe(1);
    expect(kept()).toMatchObject({ after: String(first + 3), parked: [] });
  });

  test.each([
    ['before the answer', (kill: () => void) => kill()],
    [
      'after the answer, before the checkpoint',
      (kill: () => void, res: ServerResponse) => res.end(() => kill()),
    ],
  ])('that is killed %s delivers at least once, in order', async (_, kill) => {
    const { after, positions } = await recorded(isNightly ? 6 : 3);
    let follower: Program;
    receiver.answer = (_post, res) => {
      // Every other post is the last thing that the process does.
      if (receiver.posts.length % 2 === 0) kill(() => follower.child.kill('SIGKILL'), res);
      else res.end();
    };
    const url = await receiver.listen();
    for (let code: unknown; code !== 0; ) {
      follower = follow('--post', url, '--after', after, '--once');
      code = await follower.ended();
      expect([0, 'SIGKILL']).toContain(code);
    }
    expect(firsts(receiver.positions)).toEqual(positions);
    // A repetition is of the last one, never of an earlier one.
    expect(receiver.positions.toSorted((a, b) => a - b)).toEqual(receiver.positions);
  });

  test('is alone on its checkpoint', async () => {
    const url = await receiver.listen();
    const one = follow('--post', url);
    await one.until(({ stderr }) => (stderr.includes('Following') ? true : undefined));
    const other = follow('--post', url);
    expect(await other.ended()).toBe(1);
    expect(other.stderr).toContain('Another follower is running on');
    symlinkSync('checkpoint', join(folder, 'link'));
    const third = start(['follow', '--checkpoint', 'link', '--exec', 'cat'], folder, {
      STORE_ORDERS_URL: service.address,
      STORE_ORDERS_KEY: service.key,
    });
    expect(await third.ended()).toBe(1);
    expect(third.stderr).toContain('Another follower is running on link.');
    expect(await one.end('SIGTERM')).toBe(0);
    expect(one.stderr).toMatch(/\nStopped after position \d+\n$/);
  });

  test('whose checkpoint has no folder says so of the checkpoint', async () => {
    const args = ['follow', '--checkpoint', 'no/such/x', '--exec', 'cat'];
    const follower = start(args, folder, {});
    expect(await follower.ended()).toBe(1);
    expect(follower.stderr).toBe(
      "store-orders: no/such/x cannot be written: ENOENT: no such file or directory, access 'no/such/.'\n",
    );
  });

  test('follows what is recorded while it runs, and finishes a delivery at a stop', async () => {
    const { after, positions } = await recorded(1);
    const url = await receiver.listen();
    const follower = follow('--post', url, '--after', after);
    await expect.poll(() => receiver.positions).toEqual(positions);
    const taken = Promise.withResolvers<ServerResponse>();
    receiver.answer = (_, res) => taken.resolve(res);
    await placeOrder(service);
    const res = await taken.promise;
    follower.child.kill('SIGTERM');
    await setTimeout(100);
    res.end();
    expect(await follower.ended()).toBe(0);
    expect(kept().after).toBe(String((positions[0] ?? 0) + 1));
  });

  test('that is to end at the end of the log, and is stopped before, has failed', async () => {
    const { after, positions } = await recorded(3);
    const follower = follow('--exec', 'kill -TERM $PPID; sleep 0.5', '--after', after, '--once');
    expect(await follower.ended()).toBe(1);
    expect(follower.stderr).toContain(`Stopped after position ${positions[0]}\n`);
    expect(follower.stderr).toContain('store-orders: Stopped before it was done.\n');
    expect(kept().after).toBe(String(positions[0]));
  });

  test('does not hide behind a stop that its checkpoint could not be written', async () => {
    const { after } = await recorded(1);
    const script = 'mkdir checkpoint; kill -TERM $PPID; sleep 0.5';
    const follower = follow('--exec', script, '--after', after);
    expect(await follower.ended()).toBe(1);
    expect(follower.stderr).toContain('checkpoint is there already and was left as it is.');
  });

  test('ends at a receiver that wants no more', async () => {
    const { after } = await recorded(1);
    receiver.answer = (_, res) => void res.writeHead(410).end();
    const url = await receiver.listen();
    const follower = follow('--post', url, '--after', after);
    expect(await follower.ended()).toBe(1);
    expect(follower.stderr).toContain('The receiver wants no more events (status 410)');
  });

  test('does not post to where a receiver redirects', async () => {
    const { after } = await recorded(1);
    receiver.answer = (_, res) => void res.writeHead(307, { Location: '/elsewhere' }).end();
    const url = await receiver.listen();
    const ended = await follow('--post', url, '--after', after, '--once', '--tries', '1').ended();
    expect(ended).toBe(0);
    expect(receiver.posts).toHaveLength(1);
    expect(kept().parked[0].reason).toBe('status 307');
  });

  test('without the key of the log posts only if that is asked for', async () => {
    const { after } = await recorded(1);
    const url = await receiver.listen();
    const environment = { STORE_ORDERS_URL: service.address, STORE_ORDERS_KEY: service.key };
    const args = ['follow', '--checkpoint', 'c', '--post', url, '--after', after, '--once'];
    const refused = start(args, folder, environment);
    expect(await refused.ended()).toBe(1);
    expect(refused.stderr).toContain(
      'There is no key to sign the posts with: set SIGNING_KEY_FILE',
    );
    expect(receiver.posts).toEqual([]);
    expect(await start([...args, '--unsigned'], folder, environment).ended()).toBe(0);
    expect(receiver.posts[0]?.headers['webhook-signature']).toBeUndefined();
  });

  test.each([
    ['another log', 'store-orders/another'],
    ['this log, which it does not sign with', undefined],
  ])('posts nothing with a key of %s', async (_, name) => {
    const { after } = await recorded(1);
    const url = await receiver.listen();
    const own = (await service.ask('GET', '/public-key')).text.split('+', 1)[0] as string;
    const key = NoteSigner.generate(name ?? own);
    writeFileSync(join(folder, 'key'), `${key.privateKey()}\n`, { mode: 0o600 });
    const args = [
      'follow',
      '--checkpoint',
      'checkpoint',
      '--post',
      url,
      '--after',
      after,
      '--once',
    ];
    const follower = start(args, folder, {
      STORE_ORDERS_URL: service.address,
      STORE_ORDERS_KEY: service.key,
      SIGNING_KEY_FILE: join(folder, 'key'),
    });
    expect(await follower.ended()).toBe(1);
    expect(follower.stderr).toContain(
      `The log does not sign with the key of the posts, ${key.verifierKey}: nothing was posted.`,
    );
    expect(receiver.posts).toEqual([]);
    expect(existsSync(join(folder, 'checkpoint'))).toBe(false);
  });

  test('says why it waits for the key of the log, and posts nothing meanwhile', async () => {
    const { after } = await recorded(1);
    const page = await service.ask('GET', `/v1/store/events?after=${after}&limit=1`);
    const refuse = refusal(503, 'service_unavailable');
    await using away = await ScriptedServer.start((res, request) => {
      if (!request.url.includes('/events')) return refuse(res, request);
      res.writeHead(200, { 'Content-Type': 'text/event-stream' });
      return res.write(`data: ${page.text.slice(1, -1)}\n\n`);
    });
    const url = await receiver.listen();
    const follower = follow('--post', url, '--after', after, '--url', away.url);
    await follower.until(
      ({ stderr }) =>
        /(The log cannot be read: .*service_unavailable\. Next attempt in \d\.\d s\n){2}/.exec(
          stderr,
        ) ?? undefined,
    );
    expect(await follower.end()).toBe(0);
    expect(receiver.posts).toEqual([]);
  });

  test.each([
    ['', ['--once']],
    [', where no event passes the filter', ['--type', 'OrderShipped']],
  ])('refuses the checkpoint of another log%s', async (_, options) => {
    const { after } = await recorded(1);
    const url = await receiver.listen();
    const other = { after, log: '/store-orders/another', parked: [] };
    writeFileSync(join(folder, 'checkpoint'), JSON.stringify(other));
    const follower = follow('--post', url, ...options);
    expect(await follower.ended()).toBe(1);
    expect(follower.stderr).toContain(
      'is the checkpoint of /store-orders/another, and the events are',
    );
    expect(receiver.posts).toEqual([]);
    expect(kept()).toEqual(other);
  });

  test.for([
    ['with events', 1, 'and the events are of /store-orders/another.'],
    ['without one', 0, 'and the log has no events.'],
  ] as const)(
    'passes nothing of another store %s that answers after an event of its own',
    async ([_, events, refused]) => {
      const { after, positions } = await recorded(1);
      const page = await service.ask('GET', `/v1/store/events?after=${after}&limit=1`);
      const [own] = JSON.parse(page.text);
      const other = { ...own, source: '/store-orders/another', id: '1', position: 1 };
      const pieces = [`id: ${own.id}\ndata: ${JSON.stringify(own)}\n\n`, 'id: 999999\n\n'];
      await using log = await ScriptedServer.start((res, request) => {
        if (!request.headers.accept?.includes('text/event-stream')) {
          return json(200, [other].slice(0, events))(res, request);
        }
        res.writeHead(200, { 'Content-Type': 'text/event-stream' });
        return res.end(pieces.shift() ?? '');
      });
      const options = ['--type', 'OrderPlaced', '--after', after, '--url', log.url];
      const follower = follow('--exec', 'cat', ...options);
      expect(await follower.ended()).toBe(1);
      expect(follower.stderr).toContain(refused);
      expect(kept()).toMatchObject({ after: String(positions[0]), log: own.source });
    },
  );
});

describe('A log that was cut, with other events at the positions that were lost', () => {
  /** The events that are left; those up to `AGAIN` follow, at positions that were given twice. */
  const [LEFT, AGAIN] = [2, 4];
  let log: Service;
  let epoch: string;
  let events: readonly { readonly source: string }[];
  let source: string;
  const run = (...args: readonly string[]) =>
    followOf(log, '--exec', `grep -o '"position":[0-9]*'`, ...args);
  const delivered = ({ stdout }: Program) =>
    Array.from(stdout.matchAll(/^"position":(\d+)$/gm), ([, position]) => Number(position));
  const given = (after: string, more: object = {}) =>
    writeFileSync(join(folder, 'checkpoint'), JSON.stringify({ after, parked: [], ...more }));

  beforeAll(async () => {
    log = await Service.start();
    for (let n = 0; n < LEFT; n++) await placeOrder(log);
    await backUp(log);
    for (let n = LEFT; n < AGAIN; n++) await placeOrder(log);
    await restore(log);
    for (let n = LEFT; n < AGAIN; n++) await placeOrder(log);
    epoch = JSON.parse((await log.ask('GET', '/v1/store/epochs')).text).epoch.slice(0, 10);
    events = JSON.parse((await log.ask('GET', '/v1/store/events')).text);
    source = events[0]?.source ?? '';
  });

  afterAll(() => log[Symbol.asyncDispose]());

  test.each([['--once'], []])('is followed on from where nothing was lost %s', async (...args) => {
    given(String(LEFT), { log: source });
    const follower = run(...args);
    await expect.poll(() => delivered(follower)).toEqual([3, 4]);
    await expect.poll(() => kept().after).toBe(`${epoch}:4`);
    expect(kept().log).toBe(source);
    expect(await (args.length === 0 ? follower.end() : follower.ended())).toBe(0);
  });

  test('is replayed and proven at a position that was given twice with its epoch alone', async () => {
    const from = (...args: readonly string[]) =>
      start(args, folder, { DATABASE_URL: `sqlite:${log.databaseFile}` });
    const commands = [
      ['replay', '--to'],
      ['audit', 'receipt', '--position'],
    ];
    for (const command of commands) {
      const option = command.at(-1);
      const bare = from(...command, '3');
      expect([await bare.ended(), bare.stderr]).toEqual([
        1,
        expect.stringContaining(
          `${option}: position 3 was given twice: the log was cut at position 2`,
        ),
      ]);
      expect(bare.stderr).toContain(`That of now is ${epoch}:3`);
      const named = from(...command, `${epoch}:3`);
      expect(await named.ended(), named.stderr).toBe(0);
      const lost = from(...command, '0:3');
      expect([await lost.ended(), lost.stderr]).toEqual([1, expect.stringContaining('is lost')]);
    }
  });

  test('is followed from its beginning, and on from a position with its epoch', async () => {
    const first = run('--once');
    expect([await first.ended(), delivered(first)]).toEqual([0, [1, 2, 3, 4]]);
    for (const args of [['--once'], ['--parked']]) {
      const again = run(...args);
      expect([await again.ended(), delivered(again)]).toEqual([0, []]);
    }
  });

  test('is followed on across the last position that was given twice', async () => {
    // As an earlier version has kept it.
    given(`${epoch}:3`, { log: `${source}.${epoch}` });
    await placeOrder(log);
    const follower = run('--once');
    expect([await follower.ended(), delivered(follower)]).toEqual([0, [4, 5]]);
    expect(kept().after).toBe('5');
  });

  test('keeps parked events of one position apart', async () => {
    const event = events[LEFT];
    const lost = { event: { ...event, source, subject: '9' }, at: '', tries: 1, reason: '' };
    given(`${epoch}:4`, { parked: [lost, { ...lost, event }] });
    const script = `grep -q '"subject":"9"' && exit 1; exit 0`;
    const args = ['--exec', script, '--once', '--retry', '--tries', '1'];
    expect(await followOf(log, ...args).ended()).toBe(0);
    expect(kept().parked).toMatchObject([{ event: { subject: '9' }, reason: 'exit code 1' }]);
  });

  test('does not go on from a position that was lost', async () => {
    given(String(AGAIN));
    const follower = run('--once');
    expect(await follower.ended()).toBe(5);
    expect(follower.stderr).toContain('position 4 was given twice');
    expect(kept().after).toBe(String(AGAIN));
  });
});

describe('A command', () => {
  test('gets each event on its standard input, and succeeds with exit code 0', async () => {
    const { after, positions } = await recorded(3);
    const follower = follow('--exec', 'cat', '--after', after, '--once');
    expect(await follower.ended()).toBe(0);
    const events = follower.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.map(({ position }) => position)).toEqual(positions);
  });

  test('that fails has the event parked, and with exit code 75 is tried again', async () => {
    const { after, positions } = await recorded(2);
    const [first = 0] = positions;
    // Away at first; then it fails at the first event.
    const script = `test -e away || { touch away; exit 75; }; grep -q '"position":${first},' && exit 9; exit 0`;
    const follower = follow('--exec', script, '--after', after, '--once', '--tries', '1');
    expect(await follower.ended()).toBe(0);
    expect(follower.stderr).toContain(`Position ${first}: exit code 75.`);
    expect(kept()).toMatchObject({
      after: String(positions.at(-1)),
      parked: [{ reason: 'exit code 9', tries: 1 }],
    });
  });

  test('that hangs is ended, with all that it has started', async () => {
    const { after } = await recorded(1);
    const args = ['--exec', 'sleep 1000 & wait', '--after', after, '--once'];
    const follower = follow(...args, '--tries', '1', '--timeout', '1');
    expect(await follower.ended()).toBe(0);
    expect(kept().parked[0].reason).toBe('SIGTERM, after 1 s');
  });

  test('that is ended late is waited for, with what it has started, before the next', async () => {
    const { after } = await recorded(2);
    const child = `trap 'sleep 0.5; echo end >> lines; exit' TERM; echo begin >> lines; sleep 1000 & wait`;
    const args = ['--exec', `(${child}) & wait`, '--after', after, '--once'];
    expect(await follow(...args, '--tries', '1', '--timeout', '1').ended()).toBe(0);
    expect(readFileSync(join(folder, 'lines'), 'utf8')).toBe('begin\nend\nbegin\nend\n');
  });

  test('that has started something which does not heed a SIGTERM has that killed', async () => {
    const { after } = await recorded(1);
    const child = `trap '' TERM; while :; do echo >> lines; sleep 0.1; done`;
    const args = ['--exec', `(${child}) & wait`, '--after', after, '--once'];
    expect(await follow(...args, '--tries', '1', '--timeout', '1').ended()).toBe(0);
    const lines = () => readFileSync(join(folder, 'lines'), 'utf8').length;
    const before = lines();
    await setTimeout(500);
    expect(lines()).toBe(before);
  });
});
