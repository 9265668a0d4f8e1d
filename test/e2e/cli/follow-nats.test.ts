import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { blocksOf } from '../../docs/markdown.ts';
import { freePort } from '../../support/free-port.ts';
import { placeOrder } from '../../support/one-service.ts';
import { newFolder, Program, Service, start } from '../../support/service.ts';

const isThere = spawnSync('nats-server', ['--version']).error === undefined;

/** A connection to the broker, by which a test asks it for something. */
async function asked(port: number, subject: string, body = ''): Promise<Record<string, unknown>> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  const inbox = `inbox.${crypto.randomUUID()}`;
  const length = Buffer.byteLength(body);
  socket.write(
    `CONNECT {"verbose":false}\r\nSUB ${inbox} 1\r\nPUB ${subject} ${inbox} ${length}\r\n${body}\r\n`,
  );
  let answer = '';
  for (;;) {
    const [text] = await once(socket, 'data');
    answer += text;
    const found = /^MSG \S+ 1 \d+\r\n(.*)\r\n/m.exec(answer)?.[1];
    if (found === undefined) continue;
    socket.destroy();
    return JSON.parse(found);
  }
}

test.skipIf(!isThere)(
  'Events arrive in NATS JetStream once and in order, by the program of the docs',
  async () => {
    const folder = newFolder();
    const port = await freePort();
    const server = new Program(
      'nats-server',
      ['-js', '-a', '127.0.0.1', '-p', `${port}`, '-sd', folder],
      folder,
      {},
    );
    await using service = await Service.start();
    const [program] = blocksOf('docs/followers.md').filter(({ language }) => language === 'js');
    writeFileSync(join(folder, 'to-nats.mjs'), program?.text ?? '');
    const orders = [await placeOrder(service), await placeOrder(service)];
    const follow = (checkpoint: string) =>
      start(
        [
          'follow',
          '--checkpoint',
          checkpoint,
          '--once',
          '--exec',
          `'${process.execPath}' to-nats.mjs`,
        ],
        folder,
        {
          STORE_ORDERS_URL: service.address,
          STORE_ORDERS_KEY: service.key,
          NATS: `127.0.0.1:${port}`,
        },
      );
    await server.until(({ stderr }) => (stderr.includes('Server is ready') ? true : undefined));

    // Without a stream, nobody stores the event: that is no delivery.
    const waiting = follow('checkpoint');
    await waiting.until(({ stderr }) =>
      stderr.includes('Position 1: exit code 75') ? true : undefined,
    );
    const stream = { name: 'ORDERS', subjects: ['orders.*'], duplicate_window: 120_000_000_000 };
    const api = '$JS.API.STREAM';
    const made = await asked(
      port,
      `${api}.CREATE.ORDERS`,
      JSON.stringify({ ...stream, storage: 'file' }),
    );
    expect(made).not.toHaveProperty('error');
    expect(await waiting.ended()).toBe(0);
    // Everything again, as after a lost checkpoint: it is dropped as a duplicate.
    expect(await follow('another').ended()).toBe(0);

    expect(await asked(port, `${api}.INFO.ORDERS`)).toMatchObject({ state: { messages: 2 } });
    const stored = await Promise.all(
      [1, 2].map((seq) => asked(port, `${api}.MSG.GET.ORDERS`, JSON.stringify({ seq }))),
    );
    const events = stored.map(({ message }) => {
      return JSON.parse(Buffer.from(Object(message).data, 'base64').toString());
    });
    expect(events.map(({ position, subject }) => [position, subject])).toEqual([
      [1, orders[0]],
      [2, orders[1]],
    ]);
    await server.end();
  },
);
