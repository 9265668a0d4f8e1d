import type { Request, Response } from 'express';
import { describe, expect, it, test, vi } from 'vitest';
import { IMPAIRMENTS, type Impairment } from '../../../src/app/ports/impairment.ts';
import { ApiError } from '../../../src/http/api-error.ts';
import { Health } from '../../../src/http/health.ts';

/** What is told at /readyz, and to whoever reads or commands. `undefined`: nothing is wrong. */
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
    reads: reasonOf(() => admitted(health, 'GET')),
    commands: reasonOf(() => admitted(health, 'POST')),
    isGoing: health.isGoing,
  };
}

/** Sends a request through the step of Express; throws the refusal. */
function admitted(health: Health, method: string): void {
  const next = vi.fn();
  health.admit({ method } as Request, {} as Response, next);
  expect(next).toHaveBeenCalledExactlyOnceWith();
}

function because(reason: string): string {
  return `The service ${reason}: nothing was changed.`;
}

const [STARTING, STOPPING, FAILED, WAITS, LOST] = [
  because('is starting'),
  because('is stopping'),
  because('has failed'),
  because('waits for its database'),
  because(IMPAIRMENTS.database_replaced.says),
];

type Step = 'ready' | 'leave' | 'stopping' | 'failed' | `+${Impairment}` | `-${Impairment}`;

/** A health to which all that has happened, in order. */
function afterwards(steps: readonly Step[]): Health {
  const health = new Health();
  for (const step of steps) {
    if (step.startsWith('+')) health.impaired(step.slice(1) as Impairment);
    else if (step.startsWith('-')) health.mended(step.slice(1) as Impairment);
    else health[step as 'ready']();
  }
  return health;
}

const AWAY = 'database_unreachable';
const OTHER = 'database_replaced';

test.each<[readonly Step[], readyz: string | undefined, requests: string | undefined, boolean]>([
  [[], 'is starting (starting)', STARTING, false],
  [['ready'], undefined, undefined, false],
  [['ready', 'leave'], 'is stopping (leaving)', undefined, true],
  [['ready', 'leave', 'ready'], 'is stopping (leaving)', undefined, true],
  [['ready', 'leave', 'stopping'], 'is stopping (stopping)', STOPPING, true],
  [['ready', 'stopping'], 'is stopping (stopping)', STOPPING, true],
  [['stopping', 'ready'], 'is stopping (stopping)', STOPPING, true],
  [['ready', 'leave', 'failed'], 'has failed (failed)', FAILED, true],
  [['ready', 'failed', 'stopping'], 'has failed (failed)', FAILED, true],
  [['ready', `+${AWAY}`], `waits for its database (${AWAY})`, WAITS, false],
  [
    ['ready', `+${AWAY}`, 'leave'],
    `is stopping (leaving) and waits for its database (${AWAY})`,
    WAITS,
    true,
  ],
  [['ready', `+${AWAY}`, `-${AWAY}`], undefined, undefined, false],
  [
    ['ready', `+${OTHER}`, `-${AWAY}`],
    `${IMPAIRMENTS.database_replaced.says} (${OTHER})`,
    LOST,
    false,
  ],
  [
    ['ready', `+${AWAY}`, `+${OTHER}`, `-${AWAY}`],
    `${IMPAIRMENTS.database_replaced.says} (${OTHER})`,
    LOST,
    false,
  ],
])('after %j, /readyz says: %s; requests: %s', (steps, readyz, requests, isGoing) => {
  expect(told(afterwards(steps))).toEqual({
    readyz: readyz && because(readyz),
    reads: requests,
    commands: requests,
    isGoing,
  });
});

describe('What is amiss', () => {
  const names = Object.keys(IMPAIRMENTS) as Impairment[];

  it.each(names)('%s: /readyz names it, and what it refuses is refused', (name) => {
    const health = afterwards(['ready', `+${name}`]);
    const { says, refuses } = IMPAIRMENTS[name];
    const isRefused = { requests: [true, true], commands: [false, true], nothing: [false, false] };
    const { readyz, reads, commands } = told(health);
    expect(readyz).toBe(because(`${says} (${name})`));
    expect([reads, commands]).toEqual(
      isRefused[refuses].map((refused) => (refused ? because(says) : undefined)),
    );
    health.mended(name);
    expect(told(health)).toMatchObject({ readyz: undefined, commands: undefined });
  });

  it('is news once, and its end is, too', () => {
    const health = afterwards(['ready']);
    const news = [health.mended(AWAY), health.impaired(AWAY), health.impaired(AWAY)];
    expect([...news, health.mended(AWAY), health.mended(AWAY)]).toEqual([
      false,
      true,
      false,
      true,
      false,
    ]);
  });

  it('is named with everything else that is amiss', () => {
    const health = afterwards([`+${OTHER}`, `+${AWAY}`]);
    expect(told(health).readyz).toBe(
      because(
        `is starting (starting) and ${IMPAIRMENTS.database_replaced.says} (${OTHER}) and ` +
          `waits for its database (${AWAY})`,
      ),
    );
    expect(told(health).commands).toBe(STARTING);
  });
});

describe('It leaves', () => {
  it.each<[readonly Step[], boolean]>([
    [['ready'], true],
    [['ready', `+${AWAY}`], true],
    // Nobody sends it anything yet; or it has begun to go already, or has to go at once.
    [[], false],
    [['ready', 'leave'], false],
    [['ready', 'stopping'], false],
    [['ready', 'failed'], false],
  ])('after %j: %s', (steps, expected) => {
    const health = afterwards(steps);
    expect(health.leave()).toBe(expected);
  });
});
