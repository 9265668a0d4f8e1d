import { connect } from 'node:net';
import { pipeline } from 'node:stream';
import { beforeEach, describe, expect, test } from 'vitest';
import { Place } from '../../support/command-line.ts';
import { freePort } from '../../support/free-port.ts';
import { listening } from '../../support/listening.ts';
import { oneService } from '../../support/one-service.ts';
import { cut, json, refusal, ScriptedServer, silence } from '../../support/scripted-server.ts';
import { start } from '../../support/service.ts';

const { service } = await oneService();

/** Beyond 2^53, where a number would be rounded. */
const BIG = '9007199254740993';

let place: Place;

beforeEach(() => {
  place = new Place();
  place.environment = { STORE_ORDERS_URL: service.address, STORE_ORDERS_KEY: service.key };
});

/** Places an order through the command line, and returns its id. */
async function placed(...args: readonly string[]): Promise<string> {
  const { code, out, err } = await place.run('orders', 'place', '--pet-id', '7', ...args);
  expect(code, err).toBe(0);
  expect(err).toMatch(/^Placed order \d+: \d+ of pet \d+\.\n$/);
  return out.trim();
}

test('an order is placed, shown, shipped, and refuses to be cancelled then', async () => {
  const id = await placed('--quantity', '2', '--ship-date', '2026-12-24T12:00:00+01:00');
  const shown = await place.run('orders', 'get', id);
  expect(shown).toMatchObject({ code: 0, err: '' });
  expect(shown.out).toContain(
    `id: ${id}\npetId: 7\nquantity: 2\nshipDate: 2026-12-24T11:00:00.000Z\n`,
  );
  const shipped = await place.run('orders', 'ship', id, '--ship-date', '2026-12-25T11:00:00Z');
  expect(shipped).toEqual({
    code: 0,
    out: '',
    err: `Order ${id} has shipped on 2026-12-25T11:00:00.000Z.\n`,
  });
  const refused = await place.run('orders', 'cancel', id);
  expect([refused.code, refused.out]).toEqual([5, '']);
  expect(refused.err).toMatch(
    /^store-orders: .*shipped.* \(order_already_shipped, request \S+\)\.\n$/,
  );
});

test('a cancelled order is cancelled again without another event', async () => {
  const id = await placed();
  const first = await place.run('orders', 'cancel', id, '--json');
  expect(first).toMatchObject({ code: 0 });
  expect(await place.run('orders', 'cancel', id, '--json')).toEqual(first);
  const { orderId, position } = JSON.parse(first.out);
  expect(orderId).toBe(id);
  expect(first.err).toBe(`Order ${id} is cancelled, at position ${position}.\n`);
});

test('ids beyond 2^53 are exact on their way in, in tables and in JSON', async () => {
  const { out } = await place.run('orders', 'place', '--pet-id', BIG, '--json');
  const { id, petId } = JSON.parse(out);
  expect(petId).toBe(BIG);
  for (const args of [[], ['--json']]) {
    const listed = await place.run('orders', 'list', '--pet-id', BIG, ...args);
    expect(listed.out).toContain(BIG);
    expect(listed.out).toContain(id);
  }
});

test('an idempotency key carries a command out once', async () => {
  const key = crypto.randomUUID();
  const first = await placed('--idempotency-key', key);
  expect(await placed('--idempotency-key', key)).toBe(first);
  const other = await place.run('orders', 'place', '--pet-id', '8', '--idempotency-key', key);
  expect(other.code).toBe(5);
  expect(other.err).toContain('(idempotency_key_reused');
});

describe('The list', () => {
  test('goes through all pages, or to a limit', async () => {
    const petId = '4711';
    await Promise.all(
      Array.from({ length: 30 }, () =>
        service.send('POST', '/v1/store/orders', { petId: Number(petId), quantity: 1 }),
      ),
    );
    const idsOf = async (...args: readonly string[]) => {
      const { code, out, err } = await place.run(
        'orders',
        'list',
        '--pet-id',
        petId,
        '--json',
        ...args,
      );
      expect(code, err).toBe(0);
      const orders = out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      return orders.map(({ id }) => BigInt(id));
    };
    const all = await idsOf();
    expect(all).toHaveLength(30);
    expect(all).toEqual(all.toSorted((a, b) => (a < b ? -1 : 1)));
    expect(await idsOf('--limit', '7')).toEqual(all.slice(0, 7));
  });

  test('is a table with tabs in a pipe, and aligned on a terminal', async () => {
    const id = await placed('--pet-id', '815');
    const piped = await place.run('orders', 'list', '--pet-id', '815');
    expect(piped.out).toMatch(
      new RegExp(
        `^id\tpet\tquantity\tstatus\treason\tship date\tplaced\n${id}\t815\t1\tpending\t\t\t\\S+\n$`,
      ),
    );
    const { out } = await place.runOnTerminal('orders', 'list', '--pet-id', '815');
    expect(out).toMatch(new RegExp(`\n${id} +815 +1 {9}pending {21}\\S+Z\n$`));
  });

  test('shows the reason of a cancellation', async () => {
    const id = await placed('--pet-id', '816');
    await place.run('orders', 'cancel', id, '--reason', 'out_of_stock');
    const { out } = await place.run('orders', 'list', '--pet-id', '816');
    expect(out).toContain(`\n${id}\t816\t1\tcancelled\tout_of_stock\t\t`);
    const events = await place.run('events', '--type', 'OrderCancelled');
    expect(events.out).toContain(`order ${id} cancelled (out_of_stock), by `);
  });

  test('refuses a filter that is none, in the words of the service', async () => {
    const { code, err } = await place.run('orders', 'list', '--placed-from', 'yesterday');
    expect(code).toBe(5);
    expect(err).toContain('placedFrom');
  });
});

describe('The events', () => {
  test('are printed in words, or as CloudEvents, up to the end of the log', async () => {
    const id = await placed();
    await place.run('orders', 'cancel', id);
    const { code, out } = await place.run('events');
    expect(code).toBe(0);
    expect(out).toContain(`order ${id} placed: 1 of pet 7, by `);
    expect(out).toContain(`order ${id} cancelled, by `);
    const json = await place.run('events', '--type', 'OrderCancelled', '--json');
    const events = json.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.at(-1)).toMatchObject({
      specversion: '1.0',
      type: 'OrderCancelled',
      subject: id,
    });
  });

  test('are followed as they are recorded', async () => {
    const head = Number(
      /^ *(\d+)/.exec((await place.run('events')).out.trimEnd().split('\n').at(-1) ?? '')?.[1],
    );
    const following = place.run(
      'events',
      '--after',
      String(head),
      '--follow',
      '--limit',
      '2',
      '--json',
    );
    const id = await placed();
    await place.run('orders', 'cancel', id);
    const { code, out } = await following;
    expect(code).toBe(0);
    const events = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.map(({ type, subject }) => [type, subject])).toEqual([
      ['OrderPlaced', id],
      ['OrderCancelled', id],
    ]);
  });
});

describe('A stop', () => {
  test.each([
    ['in the middle of what has an end is a failure', ['events'], 1],
    ['of what has no end is none', ['events', '--follow'], 0],
  ])('%s', async (_, args, code) => {
    await using server = await ScriptedServer.start(silence);
    const given = { STORE_ORDERS_URL: server.url, STORE_ORDERS_KEY: 'key' };
    const program = start(args, place.folder, given);
    await expect.poll(() => server.received.length).toBe(1);
    expect(await program.end('SIGTERM')).toBe(code);
    expect(program.stderr).toBe(code === 0 ? '' : 'store-orders: Stopped before it was done.\n');
  });

  test.each([
    [['place', '--pet-id', '7']],
    [['ship', '1']],
    [['cancel', '1', '--reason', 'other']],
  ])('of a command that waits for its answer leaves it open: %j', async (args) => {
    await using server = await ScriptedServer.start(silence);
    const given = { STORE_ORDERS_URL: server.url, STORE_ORDERS_KEY: 'key' };
    const program = start(['orders', ...args], place.folder, given);
    await expect.poll(() => server.received.length).toBe(1);
    expect(await program.end('SIGINT')).toBe(6);
    expect(program.stderr).toMatch(
      /It may have been done\. Repeat it with .*--idempotency-key \S+\n$/,
    );
    const [, repeat = ''] = /Repeat it with (.*)\n$/.exec(program.stderr) ?? [];
    expect(repeat).toContain(server.received[0]?.headers['idempotency-key']);
    expect(repeat.includes('--ship-date')).toBe(args[0] === 'ship');
  });
});

describe('Failures', () => {
  test('an unknown order has the exit code of a refusal', async () => {
    const { code, err } = await place.run('orders', 'get', '9223372036854775807');
    expect(code).toBe(5);
    expect(err).toContain('(order_not_found, request ');
  });

  test('a revoked or mistyped key is not shown', async () => {
    const other = service.key.endsWith('x') ? 'y' : 'x';
    const mistyped = `${service.key.slice(0, -1)}${other}`;
    place.environment = { ...place.environment, STORE_ORDERS_KEY: mistyped };
    const { code, err } = await place.run('orders', 'list');
    expect(code).toBe(5);
    expect(err).toContain('(unauthorized');
    expect(err).not.toContain(service.key.slice(16, 40));
  });

  test('a service that is not there has the exit code of no answer, and a command its key', async () => {
    place.environment = {
      ...place.environment,
      STORE_ORDERS_URL: `http://127.0.0.1:${await freePort()}`,
    };
    const { code, err } = await place.run('orders', 'place', '--pet-id', '7');
    expect(code).toBe(6);
    expect(err).toMatch(/ECONNREFUSED/);
    expect(err).toMatch(/Repeat it with --idempotency-key \S+\n$/);
  });

  test('a shipment whose answer was lost is repeated with the date that it was sent with', async () => {
    const id = await placed();
    await using server = await ScriptedServer.start(cut);
    place.environment = { ...place.environment, STORE_ORDERS_URL: server.url };
    const { code, err } = await place.run('orders', 'ship', id);
    expect(code).toBe(6);
    const [, repeat = ''] =
      /Repeat it with (--ship-date \S+ --idempotency-key \S+)\n$/.exec(err) ?? [];
    expect(repeat).toContain(JSON.parse(server.received[0]?.body ?? '').shipDate);
    const given = await place.run('orders', 'ship', id, '--ship-date', '2026-01-31T12:00:00Z');
    expect(given.err).toMatch(/Repeat it with --idempotency-key \S+\n$/);
    place.environment = { ...place.environment, STORE_ORDERS_URL: service.address };
    for (let time = 0; time < 2; time++) {
      expect(await place.run('orders', 'ship', id, ...repeat.split(' '))).toMatchObject({
        code: 0,
      });
    }
  });

  test('a service cannot control the terminal', async () => {
    const message = 'away\u001b]0;x\u0007\u009b2J\nnext';
    const order = { id: '1', petId: '7', quantity: 1, complete: true, shipDate: message };
    await using server = await ScriptedServer.start(
      json(200, order),
      json(503, { code: 'service_unavailable', message }),
      json(401, { code: 'unauthorized', message }),
    );
    place.environment = { ...place.environment, STORE_ORDERS_URL: server.url };
    const said = [await place.run('orders', 'ship', '1'), await place.run('events', '--follow')];
    expect(said.map(({ code }) => code)).toEqual([0, 5]);
    for (const { out, err } of said) expect(out + err).toMatch(/^(?:\P{C}|\n)+$/u);
    expect(said[1]?.err).toMatch(/^Interrupted: away\?\]0;x\?\?2J next\n/);
  });

  test.each([
    [['--url', '127.0.0.1:3000'], 'url: must be an address with http or https'],
    [['--key', 'a\u2028b'], 'key: it has a character that no API key has'],
    [['--idempotency-key', 'a\nb'], 'a header is not valid'],
  ])('%j is a usage error, for which no service is asked', async (args, problem) => {
    const { code, err } = await place.run('orders', 'ship', '1', ...args);
    expect(code).toBe(2);
    expect(err).toContain(problem);
  });

  test.each([
    [['events', '--after', 'x']],
    [['events', '--follow', '--after', '-1']],
    [['follow', '--checkpoint', 'new', '--exec', 'cat', '--after', 'abc']],
    [['follow', '--checkpoint', 'new', '--exec', 'cat', '--after', '007']],
    [['orders', 'list', '--as-of', '1.5']],
    [['orders', 'ship', '1', '--ship-date', 'x']],
    [['orders', 'place', '--pet-id', '1', '--ship-date', 'x']],
  ])('a malformed position or time is a usage error: %j', async (args) => {
    await using server = await ScriptedServer.start(json(200, []));
    place.environment = { ...place.environment, STORE_ORDERS_URL: server.url };
    const { code, err } = await place.run(...args);
    expect(code).toBe(2);
    expect(err).toContain('is invalid. It must be a ');
    expect(server.received).toEqual([]);
  });

  test('a position may name its epoch, and a moment be a time', async () => {
    await using server = await ScriptedServer.start(json(200, []), refusal(400, 'invalid_request'));
    place.environment = { ...place.environment, STORE_ORDERS_URL: server.url };
    for (const args of [
      ['events', '--after', '1.00c0ffee:4'],
      ['orders', 'list', '--as-of', '4'],
      ['orders', 'list', '--as-of', '2026-01-31T12:00:00+01:00'],
    ]) {
      await place.run(...args);
    }
    expect(
      server.received.map(({ url }) => url?.split(/[?&]/).find((each) => /^a/.test(each))),
    ).toEqual(['after=1.00c0ffee%3A4', 'asOf=4', 'asOf=2026-01-31T12%3A00%3A00%2B01%3A00']);
  });

  test.each([
    [{}, 'No service is named: pass --url, or set STORE_ORDERS_URL, or run store-orders login.'],
    [{ STORE_ORDERS_URL: 'http://127.0.0.1:1' }, 'There is no API key for http://127.0.0.1:1'],
  ])('without %j nothing is sent', async (environment, message) => {
    place.environment = { XDG_CONFIG_HOME: place.folder, ...environment };
    const { code, err } = await place.run('orders', 'list');
    expect(code).toBe(1);
    expect(err).toContain(message);
  });
});

test('through an HTTP proxy, if Node is told to read its address from the environment', async () => {
  const tunnels: string[] = [];
  const proxy = await listening((_, response) => response.writeHead(405).end());
  proxy.server.on('connect', ({ url = '' }, client) => {
    tunnels.push(url);
    const { hostname, port } = new URL(`http://${url}`);
    const server = connect(Number(port), hostname, () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
    pipeline(client, server, client, () => {});
  });
  const program = start(['orders', 'place', '--pet-id', BIG], place.folder, {
    ...place.environment,
    NODE_USE_ENV_PROXY: '1',
    HTTP_PROXY: proxy.address,
  });
  expect(await program.ended(), program.stderr).toBe(0);
  expect((await place.run('orders', 'get', program.stdout.trim())).out).toContain(BIG);
  expect(tunnels).toContain(new URL(service.address).host);
});
