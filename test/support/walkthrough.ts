/** The pages that follow a service through its files, and the functions that one really calls. */

import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { newFolder } from './service.ts';

/** Returns a new folder, and the environment of a service whose calls are counted there. */
export function tracing() {
  const folder = newFolder();
  const preload = resolve('test/support/programs/call-trace.ts');
  return { folder, env: { NODE_OPTIONS: `--import=${preload}`, CALL_TRACE: folder } };
}

/** Returns the functions called since the last time, each with its thread. */
export async function calledSince(folder: string): Promise<ReadonlySet<string>> {
  const sockets = readdirSync(folder).filter((name) => name.endsWith('.sock'));
  const threads = sockets.map(async (name) => {
    const calls = JSON.parse(await text(connect(join(folder, name))).catch(() => '[]'));
    return (calls as readonly string[]).map((call) => `${name} ${call}`);
  });
  return new Set((await Promise.all(threads)).flat());
}

/** The list items of a text that are about one file: its number, if any, and its functions. */
export function stepsOf(page: string) {
  const items = page.matchAll(
    /^ *(?:(\d+)\.|-) \[(src\/[\w./-]+)\]\(\.\.\/\2\)((?:.*\n)(?: +[^\s-].*\n)*)/gm,
  );
  return [...items].map(([, number, file = '', prose = '']) => ({
    number: number === undefined ? undefined : Number(number),
    file,
    functions: [...prose.matchAll(/`(#?\w+)\(\)`/g)].map(([, name = '']) => name),
  }));
}

export function readPage(page: string): string {
  return readFileSync(page, 'utf8');
}
