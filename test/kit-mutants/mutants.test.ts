import { describe, expect, test } from 'vitest';
import { tableOf } from '../docs/markdown.ts';
import { type Killed, kill } from './kill.ts';
import { MUTANTS } from './mutants.ts';
import { HEAD, PAGE, rowsOf } from './table.ts';

test('the service as it is survives everything that kills a mutant', async () => {
  const { onTheApp, overHttp } = await kill({ name: 'no fault at all' });
  expect(onTheApp).toBeUndefined();
  expect(overHttp).toBeUndefined();
});

describe('a service is found out in which', () => {
  const killed: Killed[] = [];

  test.each(MUTANTS)('$name', async (mutant) => {
    const found = await kill(mutant);
    killed.push(found);
    expect(found.onTheApp ?? found.overHttp).toBeDefined();
  });

  test('the page tells which property has found it out: node test/kit-mutants/write-table.ts', () => {
    expect(tableOf(PAGE, HEAD)).toEqual(rowsOf(killed));
  });
});
