import { describe, expect, it } from 'vitest';
import { DEMO_KEYS, demoYear } from '../../../src/cli/shared/demo-year.ts';
import { CANCEL_REASONS, type OrderState, order } from '../../../src/domain/order.ts';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-11-24T20:00:00Z');
const year = demoYear(NOW);
const of = (type: string) => year.filter(({ command }) => command.type === type);

describe('The year of the demo', () => {
  it('is the same for the same moment', () => {
    expect(demoYear(NOW)).toStrictEqual(year);
  });

  it.each([NOW, NOW + 7 * 3_600_000, 0, Date.parse('2028-02-29T00:00:01Z')])(
    'ends minutes before %d, is in order, and no command of it is refused',
    (nowMs) => {
      const commands = demoYear(nowMs);
      const moments = commands.map(({ atMs }) => atMs);
      expect(moments).toStrictEqual(moments.toSorted((one, other) => one - other));
      expect(moments[0]).toBeGreaterThanOrEqual(nowMs - 366 * DAY_MS);
      const senders = new Set(commands.map(({ by }) => by));
      expect(Object.keys(DEMO_KEYS)).toEqual(expect.arrayContaining([...senders]));
      const states = new Map<bigint, OrderState>();
      for (const { command } of commands) {
        const decision = order.decide(command, states.get(command.orderId) ?? order.initial);
        if (decision.kind !== 'accepted') throw new Error(decision.reason);
        const [event, ...others] = decision.events;
        if (event === undefined || others.length > 0) throw new Error('not one event');
        states.set(command.orderId, order.evolve(order.initial, event));
      }
      const last = moments.at(-1) as number;
      expect(nowMs - last).toBeLessThan(5 * 60_000);
      expect(nowMs - last).toBeGreaterThanOrEqual(60_000);
    },
  );

  it('has thousands of orders, a bad day, and every reason', () => {
    expect(of('PlaceOrder').length).toBeGreaterThan(2_500);
    expect(of('PlaceOrder').length).toBeLessThan(3_500);
    const reasons = of('CancelOrder').map(({ command }) => 'reason' in command && command.reason);
    expect(new Set(reasons)).toEqual(new Set([...CANCEL_REASONS, false]));
    const days = Map.groupBy(of('CancelOrder'), ({ atMs }) => Math.floor(atMs / DAY_MS));
    const counts = [...days.values()].map(({ length }) => length).sort((a, b) => b - a);
    expect(counts[0]).toBeGreaterThan(3 * (counts[2] ?? 0));
  });
});
