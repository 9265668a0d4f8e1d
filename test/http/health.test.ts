import { describe, expect, it, test } from 'vitest';
import { ApiError } from '../../src/http/api-error.ts';
import { Health } from '../../src/http/health.ts';

/** What is told at /readyz, and to whoever asks for something. `undefined`: nothing is wrong. */
function told(health: Health) {
  const reasonOf = (ask: () => unknown): string | undefined => {
    try {
      ask();
      return undefined;
    } catch (error) {
      expect(error).toBeInstanceOf(ApiError);
      return (error as ApiError).message;
    }
  };
  return {
    readyz: reasonOf(() => health.requireReady()),
    requests: reasonOf(() => health.requireServing()),
    isGoing: health.isGoing,
  };
}

function because(reason: string): string {
  return `The service ${reason}: nothing was changed.`;
}

const [STARTING, STOPPING, FAILED, WAITS, LOST] = [
  because('is starting'),
  because('is stopping'),
  because('has failed'),
  because('waits for its database'),
  because('has lost its database'),
];

type Step = 'ready' | 'leave' | 'stopping' | 'failed' | 'outOfReach' | 'inReach' | 'replaced';

test.each<[readonly Step[], ReturnType<typeof told>]>([
  [[], { readyz: STARTING, requests: STARTING, isGoing: false }],
  [['ready'], { readyz: undefined, requests: undefined, isGoing: false }],
  [['ready', 'leave'], { readyz: STOPPING, requests: undefined, isGoing: true }],
  [['ready', 'leave', 'ready'], { readyz: STOPPING, requests: undefined, isGoing: true }],
  [['ready', 'leave', 'stopping'], { readyz: STOPPING, requests: STOPPING, isGoing: true }],
  [['ready', 'stopping'], { readyz: STOPPING, requests: STOPPING, isGoing: true }],
  [['stopping', 'ready'], { readyz: STOPPING, requests: STOPPING, isGoing: true }],
  [['ready', 'leave', 'failed'], { readyz: FAILED, requests: FAILED, isGoing: true }],
  [['ready', 'failed', 'stopping'], { readyz: FAILED, requests: FAILED, isGoing: true }],
  [['ready', 'outOfReach'], { readyz: WAITS, requests: WAITS, isGoing: false }],
  [['ready', 'outOfReach', 'leave'], { readyz: STOPPING, requests: WAITS, isGoing: true }],
  [['ready', 'outOfReach', 'inReach'], { readyz: undefined, requests: undefined, isGoing: false }],
  [['ready', 'replaced', 'inReach'], { readyz: LOST, requests: LOST, isGoing: false }],
])('after %j: %o', (steps, expected) => {
  const health = new Health();
  for (const step of steps) health[step]();
  expect(told(health)).toEqual(expected);
});

describe('It leaves', () => {
  it.each<[readonly Step[], boolean]>([
    [['ready'], true],
    [['ready', 'outOfReach'], true],
    // Nobody sends it anything yet; or it has begun to go already, or has to go at once.
    [[], false],
    [['ready', 'leave'], false],
    [['ready', 'stopping'], false],
    [['ready', 'failed'], false],
  ])('after %j: %s', (steps, expected) => {
    const health = new Health();
    for (const step of steps) health[step]();
    expect(health.leave()).toBe(expected);
  });
});
