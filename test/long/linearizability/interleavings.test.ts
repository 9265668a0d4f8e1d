import fc, { type Arbitrary, type Scheduler } from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { History, Request } from '../../kit/history/history.ts';
import { Recorder } from '../../kit/history/recorder.ts';
import { check } from '../../kit/linearizability/check.ts';
import { describeViolation as tell } from '../../kit/linearizability/timeline.ts';
import { isNightly } from '../../support/nightly.ts';
import { answer, asTheyAre, type Ground, ground, type Parts } from './app-parts.ts';
import { BROKEN } from './broken-parts.ts';

/**
 * Decides what goes on next. The application itself waits for turns of the event loop here and
 * there; whatever such a wait leads to is given the time to come up before the next decision.
 */
const schedulers = fc.scheduler({
  act: async (goOn) => {
    await goOn();
    for (let turns = 0; turns < 3; turns++) await new Promise(setImmediate);
  },
});

/** The requests of one client, in order; it does not wait for the answers of some. */
type Program = readonly { readonly request: Request; readonly leaves: boolean }[];

const ids = fc.constantFrom(1n, 2n, 3n);
const dates = fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z');
const requests: Arbitrary<Request> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ kind: 'place', petId: 0n, quantity: 1 } as const) },
  {
    weight: 1,
    arbitrary: ids.map((id) => ({ kind: 'place', id, petId: 0n, quantity: 1 }) as const),
  },
  { weight: 2, arbitrary: ids.map((id) => ({ kind: 'cancel', id }) as const) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(ids, dates)
      .map(([id, shipDate]) => ({ kind: 'ship', id, shipDate }) as const),
  },
  { weight: 2, arbitrary: ids.map((id) => ({ kind: 'get', id }) as const) },
  { weight: 2, arbitrary: fc.constant({ kind: 'list' } as const) },
);
const programs: Arbitrary<readonly Program[]> = fc.array(
  fc.array(
    fc.tuple(requests, fc.nat(9)).map(([request, n]) => ({ request, leaves: n === 0 })),
    { minLength: 1, maxLength: 5 },
  ),
  { minLength: 2, maxLength: 4 },
);

/** The history of clients that run their programs at once, as the scheduler interleaves them. */
async function play(
  scheduler: Scheduler,
  clients: readonly Program[],
  build: (ground: Ground) => Parts | Promise<Parts>,
): Promise<History> {
  const pause = async (what: string) => {
    await scheduler.schedule(Promise.resolve(), what);
  };
  const parts = await scheduler.waitFor(ground(pause).then(build));
  let time = 0;
  let pets = 0n;
  const recorder = new Recorder(() => {
    time += 1_000_000;
    return time;
  });
  const run = async (program: Program, client: number) => {
    for (const { request, leaves } of program) {
      await pause(`client ${client}`);
      pets += 1n;
      const own = request.kind === 'place' ? { ...request, petId: pets } : request;
      await recorder.record(client, own, async () => {
        const answered = answer(parts, own);
        return leaves ? { kind: 'unknown' } : answered;
      });
    }
  };
  await scheduler.waitFor(Promise.all(clients.map(run)));
  const last = recorder.record(0, { kind: 'list' }, () => answer(parts, { kind: 'list' }));
  await scheduler.waitFor(last);
  return recorder.history;
}

function told(history: History): string {
  return check(history).map(tell).join('\n\n');
}

test('However the steps of the application interleave, its histories are linearizable', async () => {
  await fc.assert(
    fc.asyncProperty(schedulers, programs, async (scheduler, clients) => {
      expect(told(await play(scheduler, clients, asTheyAre))).toBe('');
    }),
    { numRuns: isNightly ? 2_000 : 500 },
  );
});

describe.each(Object.entries(BROKEN))('An application that %s', (_, build) => {
  it('is found out by one of its interleavings', async () => {
    const found = await fc.check(
      fc.asyncProperty(schedulers, programs, async (scheduler, clients) => {
        expect(told(await play(scheduler, clients, build))).toBe('');
      }),
      { numRuns: 3_000, endOnFailure: true },
    );
    expect(found.failed).toBe(true);
    expect(found.errorInstance).toHaveProperty('message', expect.stringContaining('Broken: '));
  });
});
