import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { loopUtilization } from '../../../src/app/event-loop.ts';

test("the sampler returns the event loop's utilization since its previous call", async () => {
  const busy = loopUtilization();
  const end = performance.now() + 200;
  while (performance.now() < end);
  expect(busy()).toBeGreaterThan(0.95);
  // Others may have work for this thread meanwhile.
  await setTimeout(500);
  expect(busy()).toBeLessThan(0.9);
});
