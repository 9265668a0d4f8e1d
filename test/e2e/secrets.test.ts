import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { mintKeyText } from '../../src/app/keys/api-key.ts';
import { partByDay } from '../support/nightly.ts';
import { newFolder, start } from '../support/service.ts';

/** Starts a server that answers like PostgreSQL, with an error that repeats the received bytes. */
async function talkativeServer(text: string): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      const fields = Buffer.from(`SFATAL\0C28P01\0M${text}\0D${text}\0\0`);
      const head = Buffer.alloc(5);
      head.write('E');
      head.writeInt32BE(fields.length + 4, 1);
      socket.end(Buffer.concat([head, fields]));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as { port: number }).port;
}

/** Far above the time in which a program ends on a busy machine, unless it does not end. */
const PATIENCE_MS = 60_000;

/** Returns the output of a program until it ends, or for a minute. */
async function outputOf(args: readonly string[], env: Readonly<Record<string, string>>) {
  const program = start(args, newFolder(), { PORT: '0', LOG_LEVEL: 'trace', ...env });
  const timer = setTimeout(() => program.child.kill('SIGKILL'), PATIENCE_MS);
  await program.ended();
  clearTimeout(timer);
  return program.stdout + program.stderr;
}

it('No password of the environment is printed, whatever a database answers', async () => {
  const password = 'correct horse/battery+staple';
  const port = await talkativeServer(`refused: ${password}, ${encodeURIComponent(password)}`);
  const DATABASE_URL = `postgres://me:${encodeURIComponent(password)}@127.0.0.1:${port}/orders`;
  const runs = [
    [['serve'], { DATABASE_URL }],
    [['keys', 'list'], { DATABASE_URL }],
    [['keys', 'list'], { DATABASE_URL: `postgres://me@127.0.0.1:${port}/o`, PGPASSWORD: password }],
    [['serve'], { DATABASE_URL: `postgres://me:${password}@127.0.0.1:${port}/orders` }],
    [['migrate-store', '--from', DATABASE_URL, '--to', DATABASE_URL], {}],
    [['verify', DATABASE_URL], {}],
    [['serve'], { BASE_URL: `https://me:${encodeURIComponent(password)}@host/v1` }],
    [['conformance', `http://me:${encodeURIComponent(password)}@127.0.0.1:${port}/v1`], {}],
  ] as const;
  const outputs: string[] = [];
  for (const [args, env] of partByDay(runs, 2)) outputs.push(await outputOf(args, env));
  for (const output of outputs) {
    expect(output).not.toMatch(/horse|battery/);
  }
  expect(outputs[0]).toContain('refused');
  expect(outputs.join('')).toContain('BASE_URL must have neither a user nor a password');
});

it('No API key or signing key in a wrong variable is printed', async () => {
  const key = mintKeyText();
  const signing = `PRIVATE+KEY+store-orders/x+0123abcd+${Buffer.alloc(33, 'x').toString('base64')}`;
  const runs = [
    [['serve'], { INITIAL_API_KEY: key.slice(4) }],
    [['serve'], { HOST: key }],
    [['serve'], { PORT: key }],
    [['serve'], { LOG_LEVEL: key }],
    [['serve'], { SIGNING_KEY_FILE: `/dev/null/${signing}` }],
    [['serve'], { DATABASE_URL: `sqlite:/dev/null/${key}/a.db` }],
    [['import', key], {}],
    [[key.slice(4)], {}],
  ] as const;
  const outputs: string[] = [];
  for (const [args, env] of partByDay(runs, 2)) outputs.push(await outputOf(args, env));
  for (const output of outputs) {
    expect(output).not.toContain(key.slice(20, 36));
    expect(output).not.toContain(signing.slice(-16));
    expect(output).toMatch(/store-orders: /);
  }
});
