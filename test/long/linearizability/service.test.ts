import { afterAll, expect, test } from 'vitest';
import { cleanUp } from '../../bench/processes.ts';
import type { Answer, History, Request } from '../../kit/history/history.ts';
import { describeViolation as tell } from '../../kit/linearizability/timeline.ts';
import { runRounds } from './rounds.ts';

/** `npm run test:linearizability` makes more requests, and keeps the histories that are wrong. */
const OPERATIONS = 6_000;
const CLIENTS = 24;

afterAll(cleanUp);

function count(history: History, request: Request['kind'], answer: Answer['kind']): number {
  return history.filter((it) => it.request.kind === request && it.answer.kind === answer).length;
}

test('What clients of the service are told at the same time is linearizable', async () => {
  const seed = Date.now() % 1_000_000;
  for await (const round of runRounds({ operations: OPERATIONS, seed, clients: CLIENTS })) {
    const { history, violations, atOnce } = round;
    expect(violations.map(tell).join('\n\n'), `seed ${seed}`).toBe('');
    // The clients have been in each other's way, and some of them have hung up.
    expect(atOnce).toBe(CLIENTS);
    expect(history).toHaveLength(OPERATIONS + 1);
    for (const kind of ['place', 'ship', 'cancel'] as const) {
      expect(count(history, kind, 'accepted'), kind).toBeGreaterThan(100);
      expect(count(history, kind, 'unknown'), kind).toBeGreaterThan(5);
    }
    expect(count(history, 'ship', 'refused')).toBeGreaterThan(100);
    expect(count(history, 'cancel', 'refused')).toBeGreaterThan(100);
    expect(count(history, 'list', 'listed')).toBeGreaterThan(50);
  }
});
