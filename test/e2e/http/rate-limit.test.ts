import fc from 'fast-check';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { mintKeyText } from '../../../src/app/keys/api-key.ts';
import { networkOf } from '../../../src/http/network.ts';
import { SqliteRefusals } from '../../../src/infra/sqlite/refusals.ts';
import { type Answer, ask, expectError } from '../../support/http.ts';
import { bearer, type Environment, Service } from '../../support/service.ts';

const LIST = '/v1/store/orders';

async function serviceWith(env: Environment): Promise<Service> {
  const service = await Service.start(env);
  onTestFinished(() => service[Symbol.asyncDispose]());
  return service;
}

/** The statuses of so many requests without a valid key, one after the other. */
async function failures(service: Service, count: number, headers = {}): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < count; n++) {
    statuses.push((await ask(service.address, 'GET', LIST, { headers })).status);
  }
  return statuses;
}

const seconds = ({ headers }: Answer) => Number(headers['retry-after']);

describe('Requests without a valid key', () => {
  it('are refused with 429 when they are too many, and those with one are not', async () => {
    const service = await serviceWith({ AUTH_FAILURES_PER_MINUTE: '6' });
    const kinds = [
      {},
      bearer('nonsense'),
      bearer(mintKeyText()),
      { Authorization: 'Basic eDp5' },
      bearer(service.key.replace(/.$/, '!')),
      bearer(service.key.slice(0, -1)),
    ];
    for (const headers of kinds) {
      expectError(await ask(service.address, 'GET', LIST, { headers }), 401, 'unauthorized');
    }
    for (const [method, path] of [
      ['GET', LIST],
      ['DELETE', `${LIST}/1`],
      ['POST', '/v2/store/orders'],
      ['GET', '/v1/nowhere'],
      ['PATCH', LIST],
      ['GET', '/v1/%zz'],
    ] as const) {
      const answer = await ask(service.address, method, path);
      expectError(answer, 429, 'rate_limited');
      expect(seconds(answer)).toBeGreaterThanOrEqual(1);
      expect(seconds(answer)).toBeLessThanOrEqual(10);
      expect(answer.headers['cache-control']).toBe('no-store');
      expect((await service.ask('GET', LIST)).status).toBe(200);
    }
    // What needs no key is nobody's failure.
    expect((await ask(service.address, 'GET', '/livez')).status).toBe(200);
    const last = await ask(service.address, 'GET', LIST);
    await new Promise((resolve) => setTimeout(resolve, seconds(last) * 1_000));
    expect(await failures(service, 2)).toStrictEqual([401, 429]);
  });

  it('are limited by default far above human use, and recorded only up to that', async () => {
    const service = await serviceWith({});
    const headers = bearer(mintKeyText());
    const begun = performance.now();
    const statuses = await failures(service, 400, headers);
    const passedS = (performance.now() - begun) / 1_000;
    expect(statuses.slice(0, 300)).toStrictEqual(Array(300).fill(401));
    // Five more a second: any of the others, the last one too, may be one of them.
    const others = statuses.slice(300);
    expect(others.filter((status) => status !== 401 && status !== 429)).toStrictEqual([]);
    const unlimited = others.filter((status) => status === 401);
    expect(unlimited.length).toBeLessThanOrEqual(passedS * 5 + 1);
    expect(await service.program.end()).toBe(0);
    const trail = new SqliteRefusals(service.databaseFile);
    onTestFinished(() => trail.close());
    const records = (await trail.newest(1_000)).map(({ record }) => record);
    const told = records.flatMap((record) => ('code' in record ? [record.code] : []));
    expect(new Set(told)).toStrictEqual(new Set(['unauthorized']));
    // A hundred, and perhaps one more after a minute.
    expect(told.length).toBeGreaterThanOrEqual(100);
    expect(told.length).toBeLessThanOrEqual(102);
    const left = records.flatMap((record) => ('leftOut' in record ? [record.leftOut] : []));
    const refused = statuses.filter((status) => status === 401).length;
    expect(left.reduce((sum, count) => sum + count, told.length)).toBe(refused);
  });

  it('are not limited if that is switched off', async () => {
    const service = await serviceWith({ AUTH_FAILURES_PER_MINUTE: '0' });
    expect(new Set(await failures(service, 350))).toStrictEqual(new Set([401]));
  });

  it("count for the peer's address, whatever their headers are", async () => {
    const service = await serviceWith({ AUTH_FAILURES_PER_MINUTE: '2' });
    for (const [n, status] of [401, 401, 429, 429].entries()) {
      const headers = { 'X-Forwarded-For': `10.0.0.${n}`, Forwarded: `for=10.0.0.${n}` };
      expect(await failures(service, 1, headers)).toStrictEqual([status]);
    }
  });

  it('count for the client behind a proxy that is trusted', async () => {
    const service = await serviceWith({
      AUTH_FAILURES_PER_MINUTE: '1',
      TRUST_PROXY: 'loopback, 10.0.0.0/8',
    });
    const from = (client: string) => failures(service, 1, { 'X-Forwarded-For': client });
    for (const client of ['192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8:0:1::1']) {
      expect(await from(client)).toStrictEqual([401]);
      expect(await from(client)).toStrictEqual([429]);
    }
    // The last one that is no trusted proxy: what stands before it is the client's own word.
    expect(await from('198.51.100.1, 192.0.2.1, 10.1.2.3')).toStrictEqual([429]);
    expect(await from('192.0.2.1, 198.51.100.1, 10.1.2.3')).toStrictEqual([401]);
    // One network, written in several ways; an IPv4 address as one of IPv6.
    expect(await from('2001:0DB8:0000:0000:ffff::2')).toStrictEqual([429]);
    expect(await from('::ffff:192.0.2.1')).toStrictEqual([429]);
    // What is no address counts for the proxy.
    expect(await from('unknown')).toStrictEqual([401]);
    expect(await from(`x${'y'.repeat(1_000)}`)).toStrictEqual([429]);
    expect(await failures(service, 1)).toStrictEqual([429]);
  });
});

describe('The name that a sender is counted by', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['2001:db8::ffff:192.0.2.1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['::', '0:0:0:0'],
    ['2001:db8::', '2001:db8:0:0'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:DB8:0001:0002::', '2001:db8:1:2'],
    ['1::2:3:4:5:6:7', '1:0:2:3'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0'],
  ])('of %s', (address, name) => {
    expect(networkOf(address, 'peer')).toBe(name);
  });

  it('is that of the peer where there is no address, and bounded where there is none at all', () => {
    expect(networkOf('nonsense', '192.0.2.1')).toBe('192.0.2.1');
    expect(networkOf(undefined, '::ffff:192.0.2.1')).toBe('192.0.2.1');
    expect(networkOf(undefined, undefined)).toBe('unknown');
  });

  it('is the same for all of a /64, and another for any other', () => {
    const group = fc.integer({ min: 0, max: 0xffff });
    const groups = (count: number) => fc.array(group, { minLength: count, maxLength: count });
    const written = (all: readonly number[]) => all.map((value) => value.toString(16)).join(':');
    fc.assert(
      fc.property(groups(4), groups(4), groups(4), groups(4), (net, other, host, neighbour) => {
        const name = networkOf(written([...net, ...host]), undefined);
        if (net.some((value) => value > 0)) {
          expect(networkOf(written([...net, ...neighbour]), undefined)).toBe(name);
          expect(networkOf(written([...other, ...host]), undefined) === name).toBe(
            written(net) === written(other),
          );
        }
      }),
    );
  });
});
