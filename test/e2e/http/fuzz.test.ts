import { request as forward } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Beside } from '../../support/beside.ts';
import { ask, type Sent } from '../../support/http.ts';
import { listening } from '../../support/listening.ts';
import { isNightly, seedFrom } from '../../support/nightly.ts';
import { type Known, requests } from '../../support/requests.ts';
import { Service } from '../../support/service.ts';

/**
 * Whatever is sent, the answer is one that the description allows, and none of 500 and above.
 * FUZZ_REQUESTS says how many requests are sent; FUZZ_SEED sends the same ones again.
 */

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? (isNightly ? 3_000 : 1_000));
const SEED = seedFrom('FUZZ_SEED');
/** How many requests one store gets: the list of version 1 grows, and every list is looked through. */
const ROUND_REQUESTS = 2_500;
/** How many are under way at once. */
const LANES = 4;

/**
 * Sent first, because chance may leave them out: a condition that a pending order does not fulfil, a
 * second shipment, a page that is too large, asked for by somebody who may, and addresses beside the API that a browser asks for
 * by all methods.
 */
function firstOf({ key }: Known): [Sent][] {
  const headers = { Authorization: `Bearer ${key}` };
  const place = { method: 'POST', path: '/v1/store/orders', body: '{"petId":7,"quantity":1}' };
  const cancel = { method: 'DELETE', path: '/v1/store/orders/1' };
  const ship = { method: 'PUT', path: '/v1/store/orders/1/shipment' };
  const json = { ...headers, 'Content-Type': 'application/json' };
  const shipDates = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];
  return [
    [{ ...place, headers: json }],
    [{ ...cancel, headers: { ...headers, 'If-Match': '"x"' } }],
    ...shipDates.map((shipDate): [Sent] => {
      return [{ ...ship, headers: json, body: JSON.stringify({ shipDate }) }];
    }),
    [{ method: 'GET', path: '/v2/store/orders?limit=1001', headers }],
    ...['GET', 'HEAD', 'POST'].map((method): [Sent] => {
      return [{ method, path: '//v2/store/orders', headers: { ...headers, Accept: 'text/html' } }];
    }),
  ];
}

/** What was answered so far: a hunt that meets no success, or no refusal, proves little. */
const met = new Set<number>();

async function hunt(service: Service, address: string, known: Known, count: number, seed: number) {
  // Once one lane has found something, the others are done; that one goes on to make it shorter.
  let finder: number | undefined;
  const lane = (index: number) =>
    fc.check(
      fc.asyncProperty(requests(known), async ({ method, path, ...rest }: Sent) => {
        if (finder !== undefined && finder !== index) return;
        try {
          // It is ask() that holds the answer against the description.
          const { status } = await ask(address, method, path, { ...rest, agent: service.agent });
          expect(status).toBeLessThan(500);
          met.add(status);
        } catch (error) {
          finder ??= index;
          if (finder === index) throw error;
        }
      }),
      {
        numRuns: Math.ceil(count / LANES),
        seed: seed + index,
        examples: index === 0 ? firstOf(known) : [],
      },
    );
  return Promise.all(Array.from({ length: LANES }, (_, index) => lane(index)));
}

async function knownTo(service: Service): Promise<Known> {
  await using beside = new Beside(service.databaseFile);
  return { key: service.key, weakKey: await beside.addKey([]) };
}

test(`${REQUESTS} requests, from seed ${SEED}: no answer but what the description allows`, {
  timeout: 240_000 + REQUESTS * 10,
}, async () => {
  let sent = 0;
  for (let seed = SEED; sent < REQUESTS; seed += LANES) {
    await using service = await Service.start();
    const count = Math.min(ROUND_REQUESTS, REQUESTS - sent);
    const lanes = await hunt(service, service.address, await knownTo(service), count, seed);
    for (const lane of lanes) expect(lane.failed, fc.defaultReportMessage(lane)).toBe(false);
    sent += count;
    expect(await service.program.end()).toBe(0);
  }
  const all = [200, 201, 204, 304, 400, 401, 403, 404, 405, 409, 412, 413, 415, 422];
  expect([...met]).toEqual(expect.arrayContaining(all));
});

/** What a mutant makes of an answer's body; `undefined` leaves it as it is. */
type Spoil = (sent: { method: string; path: string }, status: number, body: string) => Spoiled;
type Spoiled = { readonly status?: number; readonly body?: string } | undefined;

/** The service behind something that spoils some of its answers. */
async function mutantOf(service: Service, spoil: Spoil): Promise<string> {
  const { hostname, port } = new URL(service.address);
  const { address } = await listening((req, res) => {
    const { method = '', url: path = '', headers } = req;
    const onward = forward({ hostname, port, method, path, headers }, async (answer) => {
      const body = Buffer.concat(await Array.fromAsync(answer as AsyncIterable<Buffer>));
      const { statusCode: status = 0 } = answer;
      const spoiled = spoil({ method, path }, status, body.toString('latin1'));
      const rest = spoiled?.body === undefined ? body : Buffer.from(spoiled.body, 'latin1');
      const length = body.length === 0 ? {} : { 'content-length': String(rest.length) };
      res.writeHead(spoiled?.status ?? status, { ...answer.headers, ...length });
      res.end(rest);
    });
    req.pipe(onward);
  });
  return address;
}

describe('A service that is wrong in one thing is found out:', () => {
  let service: Service;
  let known: Known;
  beforeAll(async () => {
    service = await Service.start();
    known = await knownTo(service);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const crash = '{"code":"internal_error","message":"m","status":500}';
  test.each<[string, Spoil]>([
    [
      'it fails at a percent sign that stands alone',
      ({ path }) => (/%(?![0-9a-f]{2})/i.test(path) ? { status: 500, body: crash } : undefined),
    ],
    [
      'it rounds ids',
      (_sent, status, body) =>
        status === 200
          ? { body: body.replaceAll(/\d{17,}/g, (id) => String(Number(id) * 10)) }
          : undefined,
    ],
    [
      'it takes any limit',
      (_sent, status, body) =>
        status === 400 && body.includes('"limit: ')
          ? { status: 200, body: '{"data":[],"next":null}' }
          : undefined,
    ],
    [
      'it answers a second shipment with a code of its own',
      ({ method }, status, body) =>
        method === 'PUT' && status === 409
          ? { body: body.replace('order_already_shipped', 'already_shipped') }
          : undefined,
    ],
    [
      'it says 404 where a method is not allowed',
      (_sent, status, body) =>
        status === 405
          ? {
              status: 404,
              body: body.replace('method_not_allowed', 'not_found').replace('405', '404'),
            }
          : undefined,
    ],
  ])('%s', async (_what, spoil) => {
    const address = await mutantOf(service, spoil);
    const lanes = await hunt(service, address, known, 2_000, SEED);
    expect(lanes.some(({ failed }) => failed)).toBe(true);
  });
});
