import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { parseInstant } from '../../src/domain/instant.ts';
import { newFolder, start } from '../support/service.ts';

const PROGRAM = new URL('../support/programs/log-lines.ts', import.meta.url).pathname;

interface Line {
  readonly line: number;
  readonly time: string;
  /** The time just before the call; present if the process exits without a flush. */
  readonly said: number;
}

function logged(count: number, end: 'flush' | 'exit'): readonly Line[] {
  const run = spawnSync(process.execPath, [PROGRAM, String(count), end], { maxBuffer: 2 ** 28 });
  expect(run.status).toBe(0);
  return run.stdout
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('The log', () => {
  it('has every line in order after a flush, however many were buffered', () => {
    const lines = logged(50_000, 'flush');
    expect(lines.map(({ line }) => line)).toStrictEqual(Array.from(lines, (_, index) => index));
    expect(lines).toHaveLength(50_000);
  });

  it('has the buffered lines of a process that exits', () => {
    expect(logged(100, 'exit')).toHaveLength(100);
  });

  it('has the time of each call in UTC, although lines are serialized later', () => {
    const lines = logged(4, 'exit');
    for (const [index, { time, said }] of lines.slice(0, -1).entries()) {
      expect(parseInstant(time)).toBe(time);
      expect(Date.parse(time)).toBeGreaterThanOrEqual(said);
      // All are serialized 30 ms after the last call.
      expect(Date.parse(time)).toBeLessThanOrEqual(lines[index + 1]?.said ?? 0);
    }
  });

  it('has a message once that an error shares with its cause, and the stacks of both', () => {
    const run = spawnSync(process.execPath, [PROGRAM.replace('log-lines', 'log-errors')]);
    const lines = run.stdout.toString().trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).err)).toMatchObject([
      {
        type: 'StoreUnavailable',
        message: 'disk I/O error',
        stack: expect.stringMatching(
          /^StoreUnavailable: [\s\S]*\ncaused by: Error: disk I\/O error\n/,
        ),
      },
      { type: 'Error', message: 'not read: disk I/O error' },
      { type: 'Error', message: 'in a circle' },
    ]);
  });

  it('completes the line that a full disk has cut, and says how many were lost', () => {
    const file = join(newFolder(), 'log');
    // A file that reaches its limit of length takes a part of a write, as one on a full disk does.
    const command = `ulimit -f 4; exec "$0" "$1" "$2" >> "$2"`;
    const program = PROGRAM.replace('log-lines', 'log-full-disk');
    const run = spawnSync('bash', ['-c', command, process.execPath, program, file]);
    expect(run.stderr.toString()).toBe('');
    const lines = readFileSync(`${file}-before`, 'utf8') + readFileSync(file, 'utf8');
    const all: { line: number; lines?: number; time: string }[] = lines
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const [before, [dropped, ...after]] = [all.slice(0, -3), all.slice(-3)];
    expect(before.map(({ line }) => line)).toStrictEqual(Array.from(before, (_, index) => index));
    expect(before.length).toBeGreaterThan(10);
    expect(dropped).toMatchObject({ msg: 'lines were dropped', lines: 300 - before.length });
    expect(new Date(dropped?.time ?? '').getTime()).toBeGreaterThan(0);
    expect(after.map(({ line }) => line)).toStrictEqual([300, 301]);
  });

  it('does not end the process when its reader disconnects', () => {
    const command = `{ "$0" "$1" 200000; echo "exit $?" >&2; } | head -n 1`;
    const run = spawnSync('bash', ['-c', command, process.execPath, PROGRAM]);
    expect(JSON.parse(run.stdout.toString())).toMatchObject({ line: 0 });
    expect(run.stderr.toString()).toBe('exit 0\n');
  });

  it('keeps the service neither from its start nor from its stop when nobody reads it', async () => {
    const folder = newFolder();
    const program = start(['serve', '--port', '0', '--db', 'sqlite:store.db'], folder);
    program.child.stdout?.destroy();
    const address = await program.until(({ stderr }) => /answers at (\S+)/.exec(stderr)?.[1]);
    expect(program.stderr).toMatch(/^ {2}sto_/m);
    for (let asked = 0; asked < 3; asked++) {
      expect((await fetch(`${address}/../readyz`)).status).toBe(200);
      // Longer than lines are gathered.
      await setTimeout(150);
    }
    expect(await program.end()).toBe(0);
  });
});
