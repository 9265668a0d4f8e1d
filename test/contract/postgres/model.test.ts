import { test } from 'vitest';
import { assertHolds } from '../../kit/check.ts';
import { newDatabase } from '../../support/postgres/databases.ts';
import { postgresApp, twoInstances } from '../../support/targets.ts';

const does = ['place', 'ship', 'cancel', 'get', 'list', 'restart'] as const;

test('for any commands to an instance, however often it is replaced,', async () => {
  await assertHolds(postgresApp(newDatabase), { runs: 5, does });
});

test('the same with many programs in one store', async () => {
  await assertHolds(postgresApp(newDatabase), { runs: 1_000, together: 500 });
});

test("for any commands to two instances in turn, each sees the other's events", async () => {
  await assertHolds(twoInstances(newDatabase), { runs: 300, together: 100 });
});
