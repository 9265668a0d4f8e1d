import { execFile } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { isNightly } from '../../support/nightly.ts';
import { plantIn } from '../../support/planted.ts';
import { MUTANTS, type Mutant, PART_FAULTS, plant } from './mutants.ts';
import { STATES, type WorldState } from './states.ts';

// The worlds replace the timers of their process, so they run in one of their own.

const PROGRAM = join(import.meta.dirname, 'main.ts');
/** Worlds that reach every state; a quarter as many that nobody has seen yet run beside them. */
const WORLDS = isNightly ? 10_000 : 100;
/** By day there are too few worlds for the states that fewer than one in twenty of them reaches. */
const MAY_BE_MISSED: readonly WorldState[] = isNightly
  ? []
  : [
      'a second batch was sent behind the first',
      'a second batch fell with the first',
      'a command was refused because too many waited',
      'a revoked key was refused',
      'a write was torn',
      'a later write survived an earlier one',
      'only kept outcomes were lost',
      'a command was refused because the clock was out of range',
    ];
const SEED_1 = ['--seed', '1'];
/** One thread ends at the first world that shows a fault; of two, each would look for one of its own. */
const UNTIL_FOUND = [...SEED_1, '--seeds', '3000', '--workers', '1', '--shrink', '0'];

interface Ended {
  readonly code: number;
  readonly output: string;
}

function worlds(program: string, ...given: readonly string[]): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const options = { maxBuffer: 2 ** 26 };
    execFile(process.execPath, [program, ...given], options, (error, stdout, stderr) => {
      if (error === null) resolve({ code: 0, output: stdout });
      else if (typeof error.code === 'number') {
        resolve({ code: error.code, output: `${stdout}${stderr}` });
      } else reject(error);
    });
  });
}

const digestIn = ({ output }: Ended) => /^digest .*$/m.exec(output)?.[0];

describe('In simulated worlds', () => {
  test('every promise is kept, and every state that is not rare is reached', async () => {
    const { code, output } = await worlds(PROGRAM, ...SEED_1, '--seeds', `${WORLDS}`);
    expect(output).toContain('every promise was kept');
    const reached = [...output.matchAll(/^ *([1-9]\d*) {2}(.+)$/gm)].map(([, , state]) => state);
    expect([...reached, ...MAY_BE_MISSED]).toEqual(expect.arrayContaining([...STATES]));
    expect(code).toBe(0);
  });

  test.runIf(isNightly)('every promise is kept from any seed', async () => {
    const { code, output } = await worlds(PROGRAM, '--seeds', `${WORLDS / 4}`);
    expect(output).toContain('every promise was kept');
    expect(code).toBe(0);
  });

  test('a seed is one run, to the byte', async () => {
    const run = () => worlds(PROGRAM, '--seed', '77', '--seeds', '20', '--workers', '2');
    const [one, again] = [digestIn(await run()), digestIn(await run())];
    expect(again).toBe(one);
    // Of each thread, which had seeds of its own.
    const [, first, second] = /^digest ([0-9a-f]{16}) ([0-9a-f]{16})$/.exec(one ?? '') ?? [];
    expect(first).toBeDefined();
    expect(second).not.toBe(first);
  });
});

const mutant = (name: string) => MUTANTS.find((each) => each.name === name) as Mutant;

/** One of the writer by day, beside the list of the shortest story; all of them at night. */
const TRIED = isNightly ? MUTANTS : [mutant('an atomic group is done in part, and says so')];

test('each mutant can be planted, also those that are only at night', () => {
  const folder = temporaryFolder();
  for (const { file, changes } of MUTANTS) {
    const copy = join(folder, basename(file));
    cpSync(join('src', file), copy);
    plantIn(copy, changes);
  }
});

describe('A world finds', () => {
  test.each(TRIED)('that $name', async (each) => {
    const { code, output } = await worlds(plant(each, temporaryFolder()), ...UNTIL_FOUND);
    expect(output).toMatch(/^Seed \d+: /m);
    expect(code).toBe(1);
  });

  // By day the shortest story is one of these.
  test.runIf(isNightly).each(PART_FAULTS)('that $name', async ({ name }) => {
    const { code, output } = await worlds(PROGRAM, '--fault', name, ...UNTIL_FOUND);
    expect(output).toMatch(/^Seed \d+: /m);
    expect(code).toBe(1);
  });

  test('the shortest story, which the documentation shows', async () => {
    const page = readFileSync('docs/testing.md', 'utf8');
    const [, command = '', shown = ''] =
      /^npm run test:world -- (.*--fault .*)\n```\n\n```text\n([^`]*)^```/m.exec(page) ?? [];
    const [, fault = ''] = /--fault '(.*)'/.exec(command) ?? [];
    const { code, output } = await worlds(PROGRAM, ...SEED_1, '--seeds', '1', '--fault', fault);
    expect(code).toBe(1);
    const lines = shown.split('\n').filter((line) => line !== '' && line !== '…');
    expect(lines.length).toBeGreaterThan(3);
    expect(output.split('\n')).toEqual(expect.arrayContaining(lines));
  });
});
