import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../folder.ts';
import { freePort } from '../free-port.ts';

/** PgBouncer refuses to run as root. */
const identity = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
/** Debian installs it in a folder that is on root's PATH only. */
const PATH = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`;

/** The reason why PgBouncer is missing; `undefined` if it is installed. */
export function noPgBouncer(): string | undefined {
  try {
    execFileSync('pgbouncer', ['--version'], { env: { PATH }, stdio: 'ignore' });
    return undefined;
  } catch {
    return 'pgbouncer is not installed';
  }
}

/** Starts a PgBouncer in front of a server, until the test ends. Returns its port. */
export async function startPgBouncer(
  serverPort: number,
  settings: Readonly<Record<string, string | number>>,
): Promise<number> {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const port = await freePort();
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  const file = join(folder, 'pgbouncer.ini');
  const database = `* = host=127.0.0.1 port=${serverPort} user=postgres`;
  writeFileSync(file, `[databases]\n${database}\n[pgbouncer]\n${lines.join('\n')}\n`);
  const child = spawn('pgbouncer', [file], { ...identity, env: { PATH }, stdio: 'ignore' });
  onTestFinished(async () => {
    const ended = once(child, 'exit');
    if (child.exitCode === null && child.kill('SIGKILL')) await ended;
  });
  while (!(await answers(port))) await setTimeout(50);
  return port;
}

async function answers(port: number): Promise<boolean> {
  const client = new pg.Client(`postgres://postgres@127.0.0.1:${port}/postgres`);
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
