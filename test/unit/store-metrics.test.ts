import { expect, it } from 'vitest';
import { Health } from '../../src/http/health.ts';
import { type MeasuredStore, metricsOfStore } from '../../src/store-metrics.ts';

it('Events have no number while a start reads them, and are not counted as new when it ends', () => {
  const health = new Health();
  const list = { image: { eventCounts: () => [['OrderPlaced', 7]] } };
  const metrics = metricsOfStore({ health, list, store: {} } as unknown as MeasuredStore);
  const shown = () => metrics.find(({ name }) => name === 'store_orders_events')?.read();
  expect(shown()).toEqual([]);
  health.ready();
  expect(shown()).toEqual([{ labels: { type: 'OrderPlaced' }, value: 7 }]);
});
