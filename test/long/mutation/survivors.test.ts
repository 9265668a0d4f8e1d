import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EXPLAINED_IN, explanations, rowOf, survivorsIn } from './survivors.ts';

test('survivors are those that no test has noticed, each on one line', () => {
  const source = 'const a = 1;\nif (a <\n  2) go();\n';
  const mutant = (status: string, line: number, column: number, end: [number, number]) => ({
    status,
    replacement: 'a <=\n  2',
    location: { start: { line, column }, end: { line: end[0], column: end[1] } },
  });
  const mutants = [
    mutant('Killed', 1, 7, [1, 8]),
    mutant('Survived', 2, 5, [3, 4]),
    mutant('Timeout', 1, 7, [1, 8]),
    mutant('NoCoverage', 3, 6, [3, 10]),
  ];
  expect(survivorsIn({ files: { 'src/a.ts': { source, mutants } } })).toMatchObject([
    { file: 'src/a.ts', code: 'a < 2', becomes: 'a <= 2' },
    { file: 'src/a.ts', code: 'go()', becomes: 'a <= 2' },
  ]);
});

test('every explanation is of code that is there', () => {
  for (const { file, code, becomes } of explanations()) {
    const source = readFileSync(file, 'utf8').replaceAll(/\s+/g, ' ');
    // Not toContain: it would print the whole file.
    expect(source.includes(code), `${file} has: ${code}`).toBe(true);
    expect(becomes).not.toBe(code);
  }
});

test('each explained mutant is a row of the page as it is printed, in four cells', () => {
  const page = readFileSync(EXPLAINED_IN, 'utf8');
  const explained = explanations();
  expect(explained.length).toBeGreaterThan(0);
  for (const each of explained) expect(page).toContain(`\n${rowOf(each)} `);
  expect(rowOf({ file: 'a.ts', code: 'a || b', becomes: 'a', key: '' })).toBe(
    '| `a.ts` | `a \\|\\| b` | `a` |',
  );
});
