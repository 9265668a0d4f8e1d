import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Returns what a command loads: packages by name, and modules by their path. */
function loadedBy(...args: readonly string[]): readonly string[] {
  const program = 'test/support/programs/loaded-modules.ts';
  const env = { PATH: process.env.PATH, HOME: '/nowhere' };
  const { stderr } = spawnSync(process.execPath, [program, ...args], { env, encoding: 'utf8' });
  return stderr
    .trim()
    .split('\n')
    .slice(stderr.startsWith('store-orders: ') ? 1 : 0);
}

const packagesIn = (loaded: readonly string[]) => loaded.filter((name) => !/[./]/.test(name));

test.each([['--version'], ['--help'], ['keys', 'list', '--help'], ['audit', 'show', '--help']])(
  '%s %s %s loads the parser of the command line, and no other package',
  (...args) => {
    expect(packagesIn(loadedBy(...args))).toEqual(['commander']);
  },
);

test('a command loads neither the modules of other commands nor those of the service', () => {
  const loaded = loadedBy('backup', '--help');
  expect(loaded).toContain('cli/backup.js');
  const others = loaded.filter((name) => /^cli\/[^/]*\.js$|^(?:http|infra|service)/.test(name));
  expect(others.sort()).toEqual(['cli/backup.js', 'cli/commands.js', 'cli/program.js']);
});

test('the settings are read without the engines', () => {
  expect(packagesIn(loadedBy('config')).sort()).toEqual(['commander', 'zod']);
});
