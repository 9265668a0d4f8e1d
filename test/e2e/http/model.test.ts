import { expect, test } from 'vitest';
import type { Submission } from '../../../src/app/log/submission.ts';
import { assertHolds } from '../../kit/check.ts';
import type { Recorded, Session, Target, Told } from '../../kit/target.ts';
import { httpSession } from '../../kit/targets/http.ts';
import { Beside } from '../../support/beside.ts';
import { isNightly, runs } from '../../support/nightly.ts';
import { Service } from '../../support/service.ts';

/**
 * Anything that clients, imports and restarts can do, in any order, to the service as production
 * starts it.
 */

/** The service in a process of its own; each session has a new one. */
const service: Target = {
  name: 'service',
  async open() {
    const running = await Service.start();
    const session = httpSession(`${running.address}/v1`, {
      key: running.key,
      isShared: false,
      async restart() {
        await running.restart('SIGKILL');
        return `${running.address}/v1`;
      },
    });
    return { ...session, close: () => running[Symbol.asyncDispose]() };
  },
};

/** The same, with orders that a command line tool places beside it, under ids from elsewhere. */
const importing: Target = {
  name: 'service with imports',
  async open() {
    const running = await Service.start();
    const beside = new Beside(running.databaseFile);
    const session: Session = httpSession(`${running.address}/v1`, { key: running.key });
    return {
      ...session,
      choosesIds: false,
      isShared: false,
      events: () => beside.events() as Promise<readonly Recorded[]>,
      async perform(command, client) {
        if (command.type !== 'PlaceOrder') return session.perform(command, client);
        const [outcome] = await beside.submit([command as Submission['command']]);
        return outcome as Told;
      },
      async close() {
        await beside[Symbol.asyncDispose]();
        await running[Symbol.asyncDispose]();
      },
    };
  },
};

test('whatever clients do, and however often it is killed, every answer is that of the table', async () => {
  const does = ['place', 'ship', 'cancel', 'get', 'list', 'restart'] as const;
  const { steps } = await assertHolds(service, {
    runs: isNightly ? 6 : 1,
    maxSteps: 60,
    maxOrders: 8,
    does,
  });
  expect(steps).toBeGreaterThan(0);
});

test('the same with many clients at once', async () => {
  await assertHolds(
    service,
    isNightly ? { runs: 400, together: 200 } : { runs: 100, together: 50 },
  );
});

test('the same with any int64 as an id, when orders are imported while it runs', async () => {
  await assertHolds(importing, { runs: runs(5), maxSteps: 40, maxOrders: 12 });
});
