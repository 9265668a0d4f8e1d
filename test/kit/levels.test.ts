import { describe, expect, test } from 'vitest';
import { tableOf } from '../docs/markdown.ts';
import { temporaryFile } from '../support/folder.ts';
import { isNightly, runs } from '../support/nightly.ts';
import {
  decider,
  httpApp,
  memoryApp,
  sqliteApp,
  sqliteServerApp,
  twoWriters,
} from '../support/targets.ts';
import { assertHolds, type CheckOptions } from './check.ts';
import { everyInterleaving, everySequence, inChunks } from './exhaustive.ts';
import type { Program } from './program.ts';
import { Run } from './run.ts';
import type { Target } from './target.ts';

/** One model for every layer. For the service as a process see test/e2e/http/model.test.ts. */
const LEVELS: readonly (readonly [Target, CheckOptions])[] = [
  [decider, { runs: isNightly ? 20_000 : 3_000 }],
  [memoryApp, { runs: isNightly ? 300 : 100 }],
  [memoryApp, { runs: runs(5_000), together: 500 }],
  [sqliteApp(temporaryFile), { runs: 10 }],
  [
    sqliteApp(temporaryFile),
    isNightly ? { runs: 4_000, together: 1_000 } : { runs: 500, together: 250 },
  ],
  [sqliteServerApp(temporaryFile), { runs: 5, does: ['place', 'ship', 'cancel', 'restart'] }],
  [httpApp, { runs: isNightly ? 20 : 8 }],
  [httpApp, { runs: isNightly ? 200 : 60, together: 20 }],
];

describe('Any program', () => {
  test.each(LEVELS.map(([target, options]) => ({ target, options, name: target.name })))(
    'gets the responses of the oracle from the $name, as $options',
    async (level) => {
      const { steps } = await assertHolds(level.target, level.options);
      expect(steps).toBeGreaterThan(0);
    },
  );
});

test('The guide lists every target', () => {
  const own = [...new Set([...LEVELS.map(([{ name }]) => name), twoWriters.name])];
  const elsewhere = ['service', 'service with imports', 'base URL'];
  const rows = tableOf('docs/testing-kit.md', 'target | what runs | checked besides every answer');
  expect(rows.map(([name]) => name).toSorted()).toEqual([...own, ...elsewhere].sort());
});

async function runAll(target: Target, programs: Iterable<Program>): Promise<number> {
  let count = 0;
  for (const chunk of inChunks(programs)) {
    const session = await target.open();
    await new Run(session).together(chunk);
    await session.close?.();
    count += chunk.length;
  }
  return count;
}

describe('Enumerated programs', () => {
  const five = { length: 5, count: 8_448 };
  const four = { length: 4, count: 1_088 };
  const long = isNightly ? { length: 6, count: 66_560 } : five;
  test.each([
    { target: decider, ...long },
    { target: memoryApp, ...(isNightly ? long : four) },
    { target: sqliteApp(temporaryFile), ...(isNightly ? five : four) },
  ])('every sequence of $length commands to two orders: $target.name', async (given) => {
    const { target, length, count } = given;
    expect(await runAll(target, everySequence(length, 2))).toBe(count);
  });

  // By day with two commands each: enough for a client that is overtaken between two of its own.
  const each = isNightly ? { commands: 3, count: 41_600 } : { commands: 2, count: 816 };
  test(`every interleaving of two clients with ${each.commands} commands each, to one order`, async () => {
    expect(await runAll(twoWriters, everyInterleaving(each.commands, 1))).toBe(each.count);
  });

  test('the enumeration omits only programs that are equivalent under renaming', () => {
    // Eight commands to two orders; every program stands for itself with the orders' names, the
    // dates' names, both or none of them exchanged, as far as that makes a difference.
    const texts = new Set<string>();
    for (const { steps } of everySequence(4, 2)) {
      for (const text of renamings(JSON.stringify(steps, (_, value) => stringOf(value)))) {
        texts.add(text);
      }
    }
    expect(texts.size).toBe(8 ** 4);
  });
});

function stringOf(value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

function renamings(text: string): readonly string[] {
  const orders = text.replaceAll(/"order":(\d)/g, (_, name) => `"order":${1 - Number(name)}`);
  return [text, orders].flatMap((each) => [each, otherDates(each)]);
}

function otherDates(text: string): string {
  return text.replaceAll(/01-0([12])T/g, (_, day) => `01-0${3 - Number(day)}T`);
}
