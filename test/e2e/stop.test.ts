import { Agent } from 'node:http';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { expectError } from '../support/http.ts';
import { isNightly, partByDay } from '../support/nightly.ts';
import { placeOrder } from '../support/one-service.ts';
import { Service } from '../support/service.ts';
import { cancelledIn, notReady, placeMany } from '../support/stopping.ts';
import { recordInAnyForm } from '../support/tampering.ts';

const LIST = '/v1/store/orders';

/** Cancels orders one after another until the service no longer answers. */
async function cancelUntilGone(service: Service, ids: readonly bigint[]) {
  const answered = new Map<bigint, number>();
  const failed = new Map<bigint, string>();
  for (const id of ids) {
    try {
      const answer = await service.ask('DELETE', `${LIST}/${id}`);
      answered.set(id, answer.status);
      if (answer.status !== 204) expectError(answer, 503, 'service_unavailable');
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      failed.set(id, code);
      if (code === 'ECONNREFUSED') break;
    }
  }
  return { answered, failed };
}

function shares(ids: readonly bigint[], clients: number): bigint[][] {
  return Array.from({ length: clients }, (_, n) => ids.filter((_, at) => at % clients === n));
}

describe('SIGTERM', () => {
  it('under load: exactly the cancellations with a 204 are recorded', async () => {
    await using service = await Service.start();
    const ids = await placeMany(service, isNightly ? 15_000 : 6_000);
    const clients = shares(ids, 16).map((share) => cancelUntilGone(service, share));
    // Under load: when the first thousand requests are in the log.
    await service.program.until(({ stdout }) => stdout.length > 200_000 || undefined);
    const stopped = service.program.end('SIGTERM');
    const results = await Promise.all(clients);
    expect(await stopped).toBe(0);
    expect(service.program.stdout).toContain('"msg":"stopped"');

    const answered = results.flatMap((result) => [...result.answered]);
    const failed = new Set(results.flatMap((result) => [...result.failed.values()]));
    const done = answered.filter(([, status]) => status === 204).map(([id]) => id);
    expect(done.length).toBeGreaterThan(500);
    expect(done.length).toBeLessThan(ids.length);
    expect(failed).toContain('ECONNREFUSED');
    expect(await cancelledIn(service)).toStrictEqual(new Set(done));

    await service.start();
    for (const id of done.slice(-20)) {
      expect((await service.ask('DELETE', `${LIST}/${id}`)).status).toBe(204);
    }
    expect(await cancelledIn(service)).toStrictEqual(new Set(done));
  });

  it('does not wait for idle connections or incomplete requests', async () => {
    await using service = await Service.start();
    await service.ask('GET', LIST);
    const half = connect(Number(new URL(service.address).port), '127.0.0.1');
    half.on('error', () => undefined);
    half.write('GET / HTTP/1.1\r\nHost: x\r\n');
    await new Promise((resolve) => half.once('connect', resolve));
    expect(await service.program.end('SIGTERM')).toBe(0);
    half.destroy();
  });
});

describe('STOP_DELAY', () => {
  it('keeps the service unready but serving, with Connection: close', async () => {
    await using service = await Service.start({ STOP_DELAY: '60' });
    const kept = await service.ask('GET', LIST);
    expect(kept.headers.connection).toBe('keep-alive');
    service.program.child.kill('SIGTERM');
    expect(expectError(await notReady(service), 503, 'service_unavailable')).toMatch('stopping');
    const id = await placeOrder(service);
    const answers = [
      await service.ask('GET', `${LIST}/${id}`),
      await service.ask('GET', LIST, { agent: new Agent() }),
      await service.ask('GET', '/livez'),
    ];
    for (const { status, headers } of answers) {
      expect([status, headers.connection]).toEqual([200, 'close']);
    }
    // A second signal ends the delay.
    expect(await service.program.end('SIGTERM')).toBe(0);
    const said = service.program.log.map(({ msg }) => msg);
    expect(said).toEqual(expect.arrayContaining(['about to stop', 'stopped']));
    await service.start();
    expect((await service.ask('GET', `${LIST}/${id}`)).status).toBe(200);
  });

  it('ends at once if nothing can be recorded any more', async () => {
    await using service = await Service.start({ STOP_DELAY: '60' });
    await placeOrder(service);
    service.program.child.kill('SIGTERM');
    await notReady(service);
    const db = new Database(service.databaseFile);
    const metadata = '{"at":"2026-01-01T00:00:00.000Z","by":"x","commandId":"x"}';
    const row = `(2, 1, 2, 'OrderTeleported', 1, '{"orderId":"1"}', '${metadata}')`;
    recordInAnyForm(db, () => db.exec(`INSERT INTO events VALUES ${row}`));
    const answer = await service.send('POST', LIST, { petId: 1, quantity: 1 });
    expect(await service.program.ended()).toBe(1);
    const recorded = db.prepare('SELECT count(*) FROM events').pluck().get();
    db.close();
    // The service finds the row ten times a second by itself, so perhaps before the command does.
    const isFoundBefore = JSON.parse(answer.text).code === 'service_unavailable';
    expectError(answer, 503, isFoundBefore ? 'service_unavailable' : 'outcome_unknown');
    expect(isFoundBefore ? [2] : [2, 3]).toContain(recorded);
  });

  it('ends by itself, and the service stops', async () => {
    await using service = await Service.start({ STOP_DELAY: '1' });
    service.program.child.kill('SIGTERM');
    await notReady(service);
    await placeOrder(service);
    expect(await service.program.ended()).toBe(0);
  });
});

it('SIGUSR1 opens no debugger, and does not end the service', async () => {
  await using service = await Service.start();
  service.program.child.kill('SIGUSR1');
  // The debugger would be open in a few milliseconds.
  await setTimeout(500);
  expect((await service.ask('GET', LIST)).status).toBe(200);
  expect(service.program.stderr).not.toContain('Debugger');
  expect(await service.program.end('SIGTERM')).toBe(0);
});

it('A signal that is not one to stop ends the service as any other process', async () => {
  await using service = await Service.start();
  await placeOrder(service);
  expect(await service.program.end('SIGUSR2')).toBe('SIGUSR2');
  expect(service.program.stdout).not.toContain('"msg":"stopped"');
});

it('SIGHUP lets the delay of a stop pass, as SIGTERM does', async () => {
  await using service = await Service.start({ STOP_DELAY: '1' });
  service.program.child.kill('SIGHUP');
  await notReady(service);
  await placeOrder(service);
  expect(await service.program.ended()).toBe(0);
});

it.each(partByDay(['SIGINT', 'SIGTERM', 'SIGHUP'] as const, 3))(
  '%s twice, as under npm, stops the service cleanly',
  async (signal) => {
    await using service = await Service.start();
    const ids = await placeMany(service, 5_000);
    const clients = shares(ids, 8).map((share) => cancelUntilGone(service, share));
    await service.program.until(({ stdout }) => stdout.length > 20_000 || undefined);
    service.program.child.kill(signal);
    expect(await service.program.end(signal)).toBe(0);
    const results = await Promise.all(clients);
    const done = results.flatMap(({ answered }) =>
      [...answered].filter(([, status]) => status === 204).map(([id]) => id),
    );
    expect(await cancelledIn(service)).toStrictEqual(new Set(done));
  },
);
