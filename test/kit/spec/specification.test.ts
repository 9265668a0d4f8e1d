import { cpSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isNightly } from '../../support/nightly.ts';
import { plantIn } from '../../support/planted.ts';
import { newFolder } from '../../support/service.ts';
import { MUTANTS, type Mutant } from './mutants.ts';
import { INVARIANTS, quint, SPECIFICATION, simulate } from './quint.ts';

const TEXT = readFileSync(SPECIFICATION, 'utf8');
const PROPERTIES = readFileSync(INVARIANTS, 'utf8');
const [, TO_REACH = ''] = PROPERTIES.split('// States to reach.');

const MAX_LINES = 150;
/** Each state to reach occurs in one of ten traces; by day the seed is one whose few traces have them all. */
const TRACES = isNightly ? 1_000 : 40;
const MAX_TRACES_OF_A_MUTANT = 20_000;
/** The last mutant, of the last invariant; all of them at night, of which each takes four seconds. */
const TRIED = isNightly ? MUTANTS : MUTANTS.slice(-1);

describe.concurrent('the specification', () => {
  test('fits on three screens', () => {
    expect(TEXT.trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_LINES);
  });

  // Whatever is simulated is checked for errors of type before.
  test.runIf(isNightly)('has no error of type', async () => {
    expect(await quint('typecheck', INVARIANTS)).toMatchObject({ code: 0 });
  });

  test('keeps its invariants, and reaches every state in which they could break', async () => {
    const states = namesIn(TO_REACH);
    const given = ['--invariant=safe', `--max-samples=${TRACES}`, '--witnesses', ...states];
    const { code, output } = await simulate(INVARIANTS, given);
    expect({ code, output }).toMatchObject({ code: 0 });
    const reached = [...output.matchAll(/^(\w+) was witnessed in (\d+) trace/gm)];
    expect(reached.map(([, name]) => name)).toEqual(states);
    expect(reached.filter(([, , traces]) => traces === '0').map(([, name]) => name)).toEqual([]);
  });

  test.each(TRIED)('breaks "$breaks" if $fault', async (mutant) => {
    const given = [`--invariant=${mutant.breaks}`, `--max-samples=${MAX_TRACES_OF_A_MUTANT}`];
    const { code, output } = await simulate(planted(mutant), given);
    expect({ code, output }).toMatchObject({
      code: 1,
      output: expect.stringContaining('[violation]'),
    });
  });

  test('each mutant can be planted, also those that are only at night', () => {
    for (const mutant of MUTANTS) planted(mutant);
  });

  test('has a mutant for each invariant', () => {
    const [, conjunction = ''] = /val safe = (.*)/.exec(PROPERTIES) ?? [];
    const broken = new Set(MUTANTS.map(({ breaks }) => breaks));
    expect([...broken].sort()).toEqual(conjunction.split(' and ').sort());
  });
});

function namesIn(text: string): readonly string[] {
  return [...text.matchAll(/^ {2}val (\w+)/gm)].map(([, name = '']) => name);
}

/** Writes the specification with a fault; returns the file with its invariants. */
function planted({ from, to }: Mutant): string {
  // Not the folder of a test: whose it would be is not clear while tests run at once.
  const folder = newFolder();
  for (const file of [SPECIFICATION, INVARIANTS]) cpSync(file, join(folder, basename(file)));
  plantIn(join(folder, basename(SPECIFICATION)), [[from, to]]);
  return join(folder, basename(INVARIANTS));
}
