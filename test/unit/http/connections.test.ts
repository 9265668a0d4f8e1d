import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Connection, Connections } from '../../../src/http/connections.ts';

const LINGER_MS = 2_000;
const LINGER_BYTES = 262_144;
/** What is read at a time, so the limit may be exceeded by that much. */
const READ_BYTES = 65_536;
/** More than a machine that does other work takes to pass bytes on. */
const PASSED_ON_MS = 200;

// Sweeps come when a test says so; sockets are real.
beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }),
);
afterEach(() => void vi.useRealTimers());

/** Accepts connections, which are added at once. */
async function given(maxPerAddress = 0) {
  const connections = new Connections(() => undefined, { patienceMs: 30_000, maxPerAddress });
  const server = createServer({ allowHalfOpen: true }, (socket) => connections.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of [...sockets, ...connections]) socket.destroy();
    server.close();
    connections.close();
  });
  /** Opens a connection; returns both ends of it. */
  const open = async () => {
    const { port } = server.address() as { port: number };
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    client.on('error', () => undefined);
    sockets.push(client);
    const [connection] = (await once(server, 'connection')) as [Connection];
    connection.on('error', () => undefined);
    return { client, connection };
  };
  return { connections, open };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await setTimeout(1);
}

describe('A connection that is closed while its client sends', () => {
  it('ends with its response, and is destroyed at the first sweep after two seconds', async () => {
    const { connections, open } = await given();
    const { client, connection } = await open();
    let received = '';
    client.on('data', (data) => {
      received += String(data);
    });
    const ended = once(client, 'end');
    connection.write('the response');
    connections.linger(connection);
    await ended;
    expect(received).toBe('the response');
    expect(connection.isClosing).toBe(true);
    vi.advanceTimersByTime(LINGER_MS - 1);
    // A second time it has no effect.
    connections.linger(connection);
    client.write('more');
    await until(() => connection.bytesRead === 4);
    expect([connection.destroyed, connections.size]).toStrictEqual([false, 1]);
    vi.advanceTimersByTime(1);
    expect(connection.destroyed).toBe(true);
    await until(() => connections.size === 0);
  });

  it('is read meanwhile, to a limit', async () => {
    const { connections, open } = await given();
    const { client, connection } = await open();
    const seen: unknown[] = [];
    connection.on('data', (data) => seen.push(data));
    connections.linger(connection);
    client.write(Buffer.alloc(LINGER_BYTES - 1));
    await until(() => connection.bytesRead === LINGER_BYTES - 1);
    client.write(Buffer.alloc(8 * LINGER_BYTES));
    await until(() => connection.isPaused());
    await setTimeout(PASSED_ON_MS);
    expect(connection.bytesRead).toBeLessThanOrEqual(LINGER_BYTES + 2 * READ_BYTES);
    expect(seen).toStrictEqual([]);
  });

  it.each([
    ['its request was read', { complete: true }, undefined, false],
    ['no request was sent', undefined, undefined, false],
    ['its request is still being read', { complete: false }, undefined, true],
    ['its body will not be read', { complete: true }, true, true],
  ])(
    'lingers behind the last response, or is closed at once: %s',
    async (_, request, isClosing, lingers) => {
      const { open } = await given();
      const { connection } = await open();
      connection.request = request as IncomingMessage | undefined;
      if (isClosing !== undefined) connection.isClosing = isClosing;
      connection.destroySoon();
      await setTimeout(PASSED_ON_MS);
      expect(connection.writableFinished).toBe(true);
      expect(connection.destroyed).toBe(!lingers);
    },
  );
});

describe('The connections of an address', () => {
  it('are counted while they are open, and no more than are allowed', async () => {
    const { connections, open } = await given(2);
    const [first] = [await open(), await open()];
    const refused = await open();
    expect(refused.connection.destroyed).toBe(true);
    expect(connections.ended).toStrictEqual({ refused: 0, per_address: 1, slow: 0 });
    expect(connections.size).toBe(2);
    for (let round = 0; round < 3; round++) {
      first.connection.destroy();
      await until(() => connections.size === 1);
      const next = await open();
      expect(next.connection.destroyed).toBe(false);
      expect((await open()).connection.destroyed).toBe(true);
      first.connection = next.connection;
    }
  });

  it('are not limited by 0', async () => {
    const { connections, open } = await given();
    for (let n = 1; n <= 5; n++) {
      await open();
      expect(connections.size).toBe(n);
    }
  });
});

it('No sweep follows the end', async () => {
  const { connections } = await given();
  expect(vi.getTimerCount()).toBe(1);
  connections.close();
  expect(vi.getTimerCount()).toBe(0);
});
