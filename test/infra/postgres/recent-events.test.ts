import { describe, expect, it } from 'vitest';
import { factsOf } from '../../../src/app/event-facts.ts';
import type { RecordedEvent } from '../../../src/app/recorded-event.ts';
import { Database } from '../../../src/infra/postgres/database.ts';
import { PostgresEventLog } from '../../../src/infra/postgres/postgres-event-log.ts';
import { RecentEvents } from '../../../src/infra/postgres/recent-events.ts';
import { newEvent, placed, recorded } from '../../support/events.ts';
import { newDatabase } from '../../support/postgres/databases.ts';

/** Events at these positions. */
function events(from: number, to: number): RecordedEvent[] {
  const [event] = recorded(placed(1n)) as [RecordedEvent];
  return Array.from({ length: to - from + 1 }, (_, n) => ({ ...event, position: from + n }));
}

const positions = (recent: RecentEvents, after: number) => {
  return recent.after(after).map(({ position }) => position);
};

describe('What an instance has lately appended or read', () => {
  it('is there after any position in it', () => {
    const recent = new RecentEvents();
    expect(positions(recent, 0)).toEqual([]);
    recent.add(events(3, 4));
    recent.add([]);
    recent.add(events(5, 5));
    expect(positions(recent, 2)).toEqual([3, 4, 5]);
    expect(positions(recent, 4)).toEqual([5]);
    expect(positions(recent, 5)).toEqual([]);
    // What comes next is before all that is there.
    expect(positions(recent, 1)).toEqual([]);
  });

  it.each([
    ['a gap', 6, 7],
    ['one again', 4, 5],
  ])('begins anew behind %s', (_, from, to) => {
    const recent = new RecentEvents();
    recent.add(events(1, 4));
    recent.add(events(from, to));
    expect(positions(recent, from - 1)).toEqual([from, to]);
    expect(positions(recent, 0)).toEqual([]);
  });

  it('is the newest of it, where it is much', () => {
    const recent = new RecentEvents();
    recent.add(events(1, 8_192));
    expect(positions(recent, 0)).toHaveLength(8_192);
    recent.add(events(8_193, 8_193));
    expect(positions(recent, 0)).toEqual([]);
    expect(positions(recent, 4_097)).toHaveLength(4_096);
    recent.add(events(8_194, 300_000));
    expect(positions(recent, 295_904)).toHaveLength(4_096);
  });

  it('has what others have appended, where a batch had to know of it', async () => {
    const url = await newDatabase();
    const [one, other] = [0, 0].map(() => new PostgresEventLog(new Database(url))) as [
      PostgresEventLog,
      PostgresEventLog,
    ];
    const place = (id: bigint) => () => [newEvent(placed(id))];
    await one.append(0, place(1n));
    await one.append(1, place(2n));
    await other.append(0, place(3n));
    const [first, second, third] = other.recent.after(0).map((event) => factsOf(event).orderId);
    expect([first, second, third]).toEqual([1n, 2n, 3n]);
    expect(one.recent.after(0)).toHaveLength(2);
    await Promise.all([one.close(), other.close()]);
  });
});
