import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { partByDay } from '../support/nightly.ts';
import { placeOrder } from '../support/one-service.ts';
import { type Environment, newFolder, Service, start } from '../support/service.ts';
import { honestStore } from '../support/tampering.ts';

const V1 = '/v1/store/orders';
const MANY_EVENTS = 40_000;

/** Runs `store-orders replay` beside the service, on its store. */
async function replay(service: Service, ...args: string[]) {
  const program = start(['replay', ...args], service.folder, { HOME: service.folder });
  const code = await program.ended();
  return { code, out: program.stdout, err: program.stderr };
}

test("A replay to an ETag's position equals version 1's response byte for byte", async () => {
  await using service = await Service.start();
  // The responses, keyed by the position in their ETag.
  const answered = new Map<string, string>();
  const remember = async () => {
    const { headers, text } = await service.ask('GET', V1);
    const [, position] = /-(\d+)"$/.exec(String(headers.etag)) ?? [];
    answered.set(position as string, text);
  };
  await remember();
  const commands = async (lane: number) => {
    for (let n = 0; n < 12; n++) {
      const body = n % 2 === 0 ? {} : { shipDate: '2026-02-01T00:00:00Z' };
      const id = await placeOrder(service, { petId: lane * 1_000 + n, ...body });
      if (n % 3 === 0) await service.ask('DELETE', `${V1}/${id}`);
      if (n % 3 === 1) {
        await service.send('PUT', `${V1}/${id}/shipment`, { shipDate: '2026-03-01T00:00:00Z' });
      }
      await remember();
    }
  };
  await Promise.all([commands(1), commands(2), commands(3)]);
  await remember();
  expect(answered.size).toBeGreaterThan(12);
  // While the service runs and records.
  const more = commands(4);
  const positions = partByDay(
    [...answered.keys()].filter((_, index) => index % 4 === 0),
    4,
  );
  for (const position of [...positions, [...answered.keys()].at(-1) as string]) {
    const { code, out } = await replay(service, '--to', position);
    expect(code).toBe(0);
    expect(out, `at position ${position}`).toBe(answered.get(position));
  }
  await more;
  // Version 2 shows the same orders as of that position, with more properties and ids as strings.
  const [position, text] = [...answered][Math.floor(answered.size / 2)] as [string, string];
  const page = await service.ask('GET', `/v2/store/orders?asOf=${position}&limit=1000`);
  const { data } = JSON.parse(page.text) as { data: Record<string, unknown>[] };
  const known = data.map(({ status, placedAt, shippedAt, cancelledAt, ...order }) => order);
  expect(JSON.stringify(known)).toBe(text.replaceAll(/("id"|"petId"):(-?\d+)/g, '$1:"$2"'));
});

/** The environment of a store of which no command is soon at the end. */
let large: Environment;

beforeAll(async () => {
  large = {
    DATABASE_URL: `sqlite:${await honestStore(join(newFolder(), 'store.db'), 7n, MANY_EVENTS)}`,
  };
});

test.each(['replay', 'audit export'])(
  '%s, stopped by signals, leaves no file behind, and reports it',
  async (command) => {
    const folder = newFolder();
    const written = () => readdirSync(folder).filter((name) => name.startsWith('list'));
    // It may end before the signals arrive, which is correct but tests nothing.
    for (let code: unknown = 0; code !== 1; ) {
      rmSync(join(folder, 'list'), { force: true });
      const program = start([...command.split(' '), '--out', 'list'], folder, large);
      while (written().length === 0 && program.child.exitCode === null) await setTimeout(1);
      // Under npm, one Ctrl-C sends two signals.
      program.child.kill('SIGINT');
      await setTimeout(2);
      code = await program.end('SIGINT');
      expect(written()).toEqual(code === 0 ? ['list'] : []);
      if (code === 1) expect(program.stderr).toContain('Stopped before it was done.\n');
    }
  },
);

test('Ctrl-C stops replay --watch at once, with the exit code of a complete run', async () => {
  const DATABASE_URL = `sqlite:${await honestStore(undefined, 7n, 3, 'import')}`;
  for (const speed of ['1/s', '0.001/s']) {
    const program = start(['replay', '--watch', '--speed', speed], newFolder(), { DATABASE_URL });
    await program.until(({ stdout }) => (stdout.includes('placed') ? true : undefined));
    expect(await program.end('SIGINT')).toBe(0);
    expect(program.stdout).toMatch(/^ +1 .* order \d placed: 1 of pet 7, by import\n/);
    expect(program.stderr).toMatch(/^Played up to position [12] of 3\.\n$/m);
  }
});
