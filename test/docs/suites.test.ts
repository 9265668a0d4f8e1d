import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { codeOf, linksOf, tableOf } from './markdown.ts';

const PAGE = 'test/README.md';
const SUITES = tableOf(PAGE, 'question | folder | command | time');

test('Every folder of the tests is named in their README', () => {
  const folders = readdirSync('test', { withFileTypes: true }).filter((it) => it.isDirectory());
  const long = readdirSync('test/long').map((name) => `long/${name}`);
  const named = codeOf(PAGE);
  expect(named).toEqual(expect.arrayContaining([...folders.map(({ name }) => name), ...long]));
});

test('Every suite in the first table is a folder with tests, except the whole', () => {
  for (const [, folder] of SUITES.filter(([, folder]) => folder !== 'all')) {
    expect(globSync(`test/${folder}/**/*.test.ts`), folder).not.toHaveLength(0);
  }
});

test('Every command in the README of the tests exists', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const commands = codeOf(PAGE).filter((code) => /^np[mx] /.test(code));
  expect(commands.length).toBeGreaterThan(10);
  for (const command of commands) {
    const [, script, path] =
      /^npm (?:run )?(\S+)$|^npx vitest run (test\/\S+)$/.exec(command) ?? [];
    const isThere = script === undefined ? existsSync(path ?? '') : script in scripts;
    expect(isThere, command).toBe(true);
  }
});

test('The README of the tests links and points only to files that exist', () => {
  for (const link of linksOf(PAGE)) expect(existsSync(join('test', link)), link).toBe(true);
  const files = codeOf(PAGE).filter((code) => /^(?:src|test)\/\S+\.ts$/.test(code));
  for (const file of files) expect(existsSync(file), file).toBe(true);
});
