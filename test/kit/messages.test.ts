import { expect, test } from 'vitest';
import { memoryApp } from '../support/targets.ts';
import { assertHolds, check } from './check.ts';
import type { Program } from './program.ts';
import type { Session, Violation } from './target.ts';

/** The messages of the kit show the difference, also of values that look alike. */

const PROGRAM: Program = {
  ids: [1n],
  steps: [
    { do: 'place', order: 0, petId: 1n, quantity: 1 },
    { do: 'ship', order: 0, shipDate: '2026-01-01T00:00:00.000Z' },
    { do: 'get', order: 0 },
  ],
};

type Change = (session: Session) => Partial<Session>;

/** Changes every order of the list. */
function listing(members: object): Change {
  return (session) => ({
    list: async () =>
      ((await session.list?.()) ?? []).map((order) => ({ ...order, ...members })) as never,
  });
}

/** Changes every recorded event. */
function recording(members: object): Change {
  return (session) => ({
    events: async () =>
      ((await session.events?.()) ?? []).map((each) => ({ ...each, ...members })) as never,
  });
}

test.each<[string, Change]>([
  ['1 has petId 1 (a number), and should have petId 1 (a bigint)', listing({ petId: 1 })],
  ['1 has quantity 1 (a bigint), and should have quantity 1 (a number)', listing({ quantity: 1n })],
  ['1 has petId 2, and should have petId 1', listing({ petId: 2n })],
  [
    '1 has petId 2 and quantity 3, and should have petId 1 and quantity 1',
    listing({ petId: 2n, quantity: 3 }),
  ],
  ['1 (a bigint) is missing, and 1 (a number) is there', listing({ id: 1 })],
  ['1 has null and should have none', listing({ shipDate: null })],
  [
    '1 has complete: false (a string), and should have false (a boolean)',
    listing({ complete: 'false' }),
  ],
  [
    'an order of the list: null, and should be an order',
    () => ({ list: async () => [null] as never }),
  ],
  [
    'order 1: null, and should be an order, or undefined',
    () => ({ get: async () => null as never }),
  ],
  ['one of the events: null, and should be', () => ({ events: async () => [null] as never })],
  ['a recorded event: undefined, and should be', recording({ event: undefined })],
  ['event 1 of order 1 has the version 1 (a bigint)', recording({ version: 1n })],
  [
    'event 1 of the log has the position 1 (a bigint)',
    (session) => ({
      events: async () =>
        ((await session.events?.()) ?? []).map((each) => ({
          ...each,
          position: BigInt(each.position),
        })) as never,
    }),
  ],
  [
    '"shipDate": "2026-01-01"',
    (session) => ({
      events: async () =>
        ((await session.events?.()) ?? []).map((each) => ({
          ...each,
          event: { ...each.event, shipDate: '2026-01-01' },
        })) as never,
    }),
  ],
])('%s', async (detail, change) => {
  const open = async () => {
    const session = await memoryApp.open();
    return { ...session, ...change(session) };
  };
  const target = { name: 'changed', open };
  const found = await check(target, { programs: [PROGRAM] });
  expect(found.counterexample?.detail).toContain(detail);
});

test('the error of an assertion has the script that its message ends with', async () => {
  const session = await memoryApp.open();
  const target = {
    name: 'broken',
    open: () => ({ ...session, list: async () => [null] as never }),
  };
  const error: Violation = await assertHolds(target, { programs: [PROGRAM] }).catch((it) => it);
  expect(error.script).toMatch(/^# Broken: /);
  expect(error.message.endsWith(error.script as string)).toBe(true);
});
