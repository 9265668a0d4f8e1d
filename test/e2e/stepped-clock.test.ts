import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { NO_FAKETIME, SteppedClock } from '../support/faketime.ts';
import { expectError } from '../support/http.ts';
import { partByDay } from '../support/nightly.ts';
import { placeOrder } from '../support/one-service.ts';
import { bearer, Service, start } from '../support/service.ts';
import { untilReady } from '../support/until-ready.ts';

const LIST = '/v1/store/orders';

/** Starts a service whose wall clock can be set while it runs. */
async function serviceWithClock() {
  const clock = new SteppedClock();
  const service = await Service.start(clock.env);
  const keys = async (...args: readonly string[]) => {
    const program = start(['keys', ...args], service.folder, clock.env);
    expect(await program.ended()).toBe(0);
    return program.stdout.trim();
  };
  const statusFor = async (key: string) => {
    return (await service.ask('GET', LIST, { headers: bearer(key) })).status;
  };
  return { service, clock, keys, statusFor };
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** Longer than a busy machine takes to create a key and to use it once. */
const SHORT_LIFE_MS = 15_000;
/** Far above the time in which a stream ends on a busy machine. */
const PATIENCE_MS = 60_000;

describe.skipIf(NO_FAKETIME)(`When the clock is set (${NO_FAKETIME ?? 'faketime'})`, () => {
  // One service for all tests but that of recorded times, which looks for the first.
  let shared: Awaited<ReturnType<typeof serviceWithClock>>;
  beforeAll(async () => {
    shared = await serviceWithClock();
    return () => shared.service[Symbol.asyncDispose]();
  });
  beforeEach(() => shared.clock.set('+0'));

  it.each(partByDay(['-1h', '-56y', '+1h', '+7000y'], 3))(
    'a revoked key is refused within a second: %s',
    async (offset) => {
      const { service, clock, keys, statusFor } = shared;
      const linesBefore = service.program.log.length;
      for (const [before, after] of [
        ['+0', offset],
        [offset, '+0'],
      ] as const) {
        const key = await keys('create', '--name', 'warehouse');
        clock.set(before);
        expect(await statusFor(key)).toBe(200);
        // The key is cached at one time, and used at the other.
        clock.set(after);
        expect(await statusFor(key)).toBe(200);
        await keys('revoke', key);
        await wait(1_000);
        expect(await statusFor(key)).toBe(401);
      }
      // The log explains why its times jump.
      await service.program.until(({ log }) =>
        log.slice(linesBefore).find(({ msg }) => msg === 'the clock was set'),
      );
    },
  );

  it('an expired key stays expired, and a key that was refused too early is accepted again', async () => {
    const { clock, keys, statusFor } = shared;
    const long = await keys('create', '--name', 'long', '--expires', '90d');
    const expiresAt = Date.now() + SHORT_LIFE_MS;
    const expires = new Date(expiresAt).toISOString();
    const short = await keys('create', '--name', 'short', '--expires', expires);
    expect([await statusFor(short), await statusFor(long)]).toStrictEqual([200, 200]);
    await wait(expiresAt - Date.now());
    for (const offset of ['+0', '-1m', '-1d', '-56y']) {
      clock.set(offset);
      expect([await statusFor(short), await statusFor(long)]).toStrictEqual([401, 200]);
    }
    for (const offset of ['+91d', '+7000y', '+9000y']) {
      clock.set(offset);
      expect([await statusFor(short), await statusFor(long)]).toStrictEqual([401, 401]);
      clock.set('+0');
      expect([await statusFor(short), await statusFor(long)]).toStrictEqual([401, 200]);
    }
  });

  it('recorded times never decrease, and asOf returns what was recorded by each time', async () => {
    const { service, clock } = await serviceWithClock();
    onTestFinished(() => service[Symbol.asyncDispose]());
    const before = new Date().toISOString();
    const times: string[] = [];
    for (const offset of ['+0', '+24y', '+0', '-56y', '+0']) {
      clock.set(offset);
      const id = await placeOrder(service);
      const { text } = await service.ask('GET', `${LIST}/${id}/events`);
      times.push((JSON.parse(text) as [{ time: string }])[0].time);
    }
    expect(times).toStrictEqual([...times].sort());
    expect(times.slice(1)).toStrictEqual(Array(4).fill(times[1]));
    const asOf = async (moment: string) => {
      const { text } = await service.ask('GET', `/v2/store/orders?asOf=${moment}`);
      return (JSON.parse(text) as { data: unknown[] }).data.length;
    };
    expect(await asOf(before)).toBe(0);
    expect(await asOf(times[0] as string)).toBe(1);
    expect(await asOf(new Date().toISOString())).toBe(1);
    expect(await asOf(times[1] as string)).toBe(5);
    expect(await asOf('3')).toBe(3);
  });

  it('the activity of the present has the events that are ahead of the clock', async () => {
    const { service, clock } = await serviceWithClock();
    onTestFinished(() => service[Symbol.asyncDispose]());
    clock.set('+3d');
    await placeOrder(service);
    for (const offset of ['+0', '-56y', '-2100y', '+9000y']) {
      clock.set(offset);
      for (const bucket of ['minute', 'hour', 'day']) {
        const { status, text } = await service.ask('GET', `/v2/store/activity?bucket=${bucket}`);
        expect(status, text).toBe(200);
        const { data } = JSON.parse(text) as { data: { placed: number }[] };
        expect(data.at(-1)?.placed, `${bucket} ${offset}`).toBe(offset === '+9000y' ? 0 : 1);
      }
    }
  });

  it('an event stream keeps its interval and its end', async () => {
    const { service, clock, keys } = shared;
    const key = await keys('create', '--name', 'auditor', '--scopes', 'audit:read');
    const stream = await fetch(`${service.address}/v1/store/events`, {
      headers: { ...bearer(key), Accept: 'text/event-stream' },
    });
    const ended = stream.text();
    clock.set('+7000y');
    const id = await placeOrder(service);
    clock.set('-56y');
    expect((await service.ask('DELETE', `${LIST}/${id}`)).status).toBe(204);
    await wait(300);
    await keys('revoke', key);
    const text = await Promise.race([ended, wait(PATIENCE_MS).then(() => 'goes on')]);
    expect(text).toMatch(/id: 1\n.*OrderPlaced.*id: 2\n.*OrderCancelled/s);
  });

  // The last one, which ends the service.
  it('beyond the year 9999 commands are refused, nothing is lost, and reads are served', async () => {
    const { service, clock, keys, statusFor } = shared;
    const id = await placeOrder(service);
    clock.set('+9000y');
    const order = { petId: 7, quantity: 1 };
    expectError(await service.send('POST', LIST, order), 503, 'service_unavailable');
    expectError(await service.ask('DELETE', `${LIST}/${id}`), 503, 'service_unavailable');
    expect(await untilReady(service, 503)).toContain('(clock_out_of_range)');
    expect((await service.ask('GET', `${LIST}/${id}`)).status).toBe(200);
    expect(
      (await service.ask('GET', `/v2/store/orders?asOf=${new Date().toISOString()}`)).status,
    ).toBe(200);
    // Refusals are recorded nevertheless.
    const stranger = { headers: bearer('nonsense') };
    expectError(await service.ask('DELETE', `${LIST}/${id}`, stranger), 401, 'unauthorized');
    clock.set('-2100y');
    const refused = start(
      ['keys', 'create', '--name', 'x', '--expires', '90d'],
      service.folder,
      clock.env,
    );
    expect(await refused.ended()).not.toBe(0);
    expect(refused.stderr).toContain('the clock is outside the years 0000 to 9999');
    clock.set('+0');
    const key = await keys('create', '--name', 'leaked');
    clock.set('+9000y');
    expect(await statusFor(key)).toBe(200);
    await keys('revoke', key);
    await wait(1_000);
    expect(await statusFor(key)).toBe(401);
    // A service that is started then serves reads as well.
    expect(await service.program.end()).toBe(0);
    await service.start(clock.env);
    expect((await service.ask('GET', `${LIST}/${id}`)).status).toBe(200);
    clock.set('+0');
    expect((await service.ask('DELETE', `${LIST}/${id}`)).status).toBe(204);
    await untilReady(service, 200);
    expect(await service.program.end()).toBe(0);
  });
});
