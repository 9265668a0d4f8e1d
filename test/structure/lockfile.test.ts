import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Entry {
  readonly hasInstallScript?: boolean;
  readonly gypfile?: boolean;
  readonly dev?: boolean;
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, Entry>;
};
const entries = Object.entries(packages).filter(([path]) => path.includes('node_modules/'));

test('the lockfile gives npm 10 no install script to run', () => {
  const marked = entries.filter(([, entry]) => entry.hasInstallScript);
  expect(marked, 'node tools/after-install.js takes the marks out').toStrictEqual([]);
});

test('the lockfile lets npm 10 compile nothing', () => {
  const compiled = entries.filter(([path]) => existsSync(join(path, 'binding.gyp')));
  expect(compiled.map(([path]) => path)).toContain('node_modules/better-sqlite3');
  for (const [path, { gypfile }] of compiled) expect(gypfile, path).toBe(false);
});

test('no package that comes with the service has an install script', () => {
  const served = entries.filter(([path, { dev }]) => !dev && existsSync(path));
  expect(served.length).toBeGreaterThan(50);
  for (const [path] of served) {
    const { scripts = {} } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    const own = ['preinstall', 'install', 'postinstall'].filter((event) => event in scripts);
    expect(own, path).toStrictEqual([]);
  }
});
