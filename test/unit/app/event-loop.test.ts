import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { loopUtilization } from '../../../src/app/event-loop.ts';

test('The use of the event loop is told for the time since it was last asked for', async () => {
  const busy = loopUtilization();
  const end = performance.now() + 200;
  while (performance.now() < end);
  expect(busy()).toBeGreaterThan(0.95);
  // Others may have work for this thread meanwhile.
  await setTimeout(500);
  expect(busy()).toBeLessThan(0.9);
});
