import { execFile, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type Environment, newFolder, Program, start } from '../support/service.ts';

/** The output on a terminal, in a real pseudo-terminal of util-linux. */

const hasTerminal = spawnSync('script', ['--version']).status === 0;

/** Starts the service on a terminal; its screen is the output of the returned program. */
function onTerminal(subcommand: string, env: Environment): Program {
  const command = `exec "${process.execPath}" "${resolve('dist/main.js')}" ${subcommand}`;
  const terminal = { PORT: '0', TERM: 'xterm-256color', ...env };
  return new Program('script', ['-qfec', command, '/dev/null'], newFolder(), terminal);
}

function screenOf({ stdout }: Program): string {
  return stdout.replaceAll('\r\n', '\n');
}

/** Waits until the screen matches a pattern. */
function shown(program: Program, pattern: RegExp): Promise<string> {
  return program.until((running) => pattern.exec(stripVTControlCharacters(screenOf(running)))?.[0]);
}

describe.skipIf(!hasTerminal)('On a terminal', () => {
  it.each(['serve', 'demo'])(
    '%s shows its address, a key and a command that works',
    async (subcommand) => {
      await using program = onTerminal(subcommand, {});
      const address = (await shown(program, /(?<=answers at ).*(?=\/v1\n)/)).trim();
      const command = await shown(program, /^ {2}curl .*(?=\n)/m);
      await shown(program, /keys --help\n/);
      const { stdout } = await promisify(execFile)('bash', ['-c', `${command} --silent`]);
      expect(stdout).toMatch(/^\{"id":\d+,"petId":7,"quantity":1,"complete":false\}$/);
      const request = await shown(program, /.* POST .*\n/);
      expect(request).toMatch(/^[\d:.]+Z info {2}POST \/v1\/store\/orders 201 in [\d.]+ ms .*\n$/);
      const screen = screenOf(program);
      expect(screen).toContain('\u001b[');
      expect(screen).toContain(`${address}/docs\n`);
      expect(screen).not.toContain('{"level"');
      // The banner and the lines before it fit on a screen of 24 lines.
      expect(screen.split('\n').length).toBeLessThan(24);
      program.child.stdin?.write('\u0003');
      expect(await program.ended()).toBe(0);
      expect(stripVTControlCharacters(screenOf(program))).toMatch(/Z info {2}stopped\n$/);
    },
  );

  it('NO_COLOR switches colours off', async () => {
    await using program = onTerminal('serve', { NO_COLOR: '1' });
    await shown(program, /keys --help\n/);
    expect(screenOf(program)).not.toContain('\u001b[');
  });

  it('LOG_FORMAT=json writes JSON nevertheless', async () => {
    await using program = onTerminal('serve', { LOG_FORMAT: 'json' });
    const ready = await shown(program, /^\{"level":30,.*"msg":"ready"\}$/m);
    expect(JSON.parse(ready)).toHaveProperty('address');
  });
});

it('LOG_FORMAT=text writes text without colours into a pipe', async () => {
  await using program = start(['serve'], newFolder(), { PORT: '0', LOG_FORMAT: 'text' });
  const ready = await program.until(({ stdout }) => /.* ready .*\n/.exec(stdout)?.[0]);
  expect(ready).toMatch(/^[\d:.]+Z info {2}ready address=http:\S+\n$/);
  expect(program.stdout).not.toContain('\u001b');
});

it('Any LOG_FORMAT but json and text is refused', async () => {
  await using program = start(['serve'], newFolder(), { LOG_FORMAT: 'pretty' });
  expect(await program.ended()).toBe(1);
  expect(program.stderr).toBe('store-orders: LOG_FORMAT must be json or text\n');
});
