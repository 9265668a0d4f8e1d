import { describe, expect, test } from 'vitest';
import { tableOf } from '../docs/markdown.ts';
import { isNightly } from '../support/nightly.ts';
import { type Killed, kill } from './kill.ts';
import { MUTANTS } from './mutants.ts';
import { HEAD, PAGE, rowsOf } from './table.ts';

/** By day one of seven: of the writer, the log and the reader, and two that only show over HTTP. */
const TRIED = MUTANTS.filter((_, index) => isNightly || index % 7 === 5);

// By day other tests of the same checks raise no alarm: those of all levels, and of the command conformance.
test.runIf(isNightly)('the service as it is survives everything that kills a mutant', async () => {
  const { onTheApp, overHttp } = await kill({ name: 'no fault at all' });
  expect(onTheApp).toBeUndefined();
  expect(overHttp).toBeUndefined();
});

describe('a service is found out in which', () => {
  const killed: Killed[] = [];

  test.each(TRIED)('$name', async (mutant) => {
    const found = await kill(mutant);
    killed.push(found);
    expect(found.onTheApp ?? found.overHttp).toBeDefined();
  });

  test('the page tells which property has found it out: node test/kit-mutants/write-table.ts', () => {
    const rows = tableOf(PAGE, HEAD);
    expect(rows.map(([name]) => name)).toEqual(MUTANTS.map(({ name }) => name));
    const names = TRIED.map(({ name }) => name);
    expect(rows.filter(([name = '']) => names.includes(name))).toEqual(rowsOf(killed));
  });
});
