import { expect, it, vi } from 'vitest';
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

it('A log that does not answer, as under a lock, has no position, and holds up no scrape', async () => {
  vi.useFakeTimers();
  const answer = Promise.withResolvers<number>();
  const store = { log: { head: () => answer.promise } };
  const metrics = metricsOfStore({ store, list: { position: 3 } } as unknown as MeasuredStore);
  const read = (name: string) => metrics.find((metric) => metric.name === name)?.read();
  const shown = () =>
    Promise.all(['store_orders_log_position', 'store_orders_list_lag_events'].map(read));
  const during = shown();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await during).toEqual([[], []]);
  answer.resolve(5);
  expect(await shown()).toEqual([[{ labels: {}, value: 5 }], [{ labels: {}, value: 2 }]]);
  vi.useRealTimers();
});
