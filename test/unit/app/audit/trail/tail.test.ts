import { describe, expect, it } from 'vitest';
import { type EventRun, History } from '../../../../../src/app/audit/trail/history.ts';
import { type Follower, Tail } from '../../../../../src/app/audit/trail/tail.ts';
import { Epochs } from '../../../../../src/app/log/epochs.ts';
import { MemoryEventLog } from '../../../../../src/infra/memory/event-log.ts';
import { MemoryKeyStore } from '../../../../../src/infra/memory/key-store.ts';
import { newEvent, placed } from '../../../../support/events.ts';

function given() {
  const log = new MemoryEventLog();
  const history = new History(new Epochs('s'), log.trail, new MemoryKeyStore());
  return { log, history, tail: new Tail(log, history, 100) };
}

/** The same, but that the log tells that it has grown when the test says so. */
function withHints() {
  const { log, history } = given();
  let hint = () => {};
  let isWatched = true;
  log.watch = (grown) => {
    hint = grown;
    return () => {
      isWatched = false;
      return true;
    };
  };
  const tail = new Tail(log, history, 100);
  return { log, history, tail, hint: () => hint(), isWatched: () => isWatched };
}

async function append(log: MemoryEventLog, count: number): Promise<void> {
  const head = await log.head();
  const events = Array.from({ length: count }, (_, n) => newEvent(placed(BigInt(head + n + 1))));
  await log.append(head, () => events);
}

function followed(tail: Tail): Follower {
  const follower = tail.follow();
  if (follower === undefined) throw new Error('there are too many');
  return follower;
}

/** Follows until so many events have come, or until the end. */
async function take(follower: Follower, after: number, count = Infinity): Promise<number[]> {
  const positions: number[] = [];
  for await (const { events } of follower.runs(after)) {
    positions.push(...events.map(({ position }) => position));
    if (positions.length >= count) follower.leave();
  }
  return positions;
}

/** Resolves when whoever follows has read all that there is. */
async function asleep(): Promise<void> {
  for (let n = 0; n < 20; n++) await new Promise(setImmediate);
}

const upTo = (to: number, from = 1) => Array.from({ length: to - from + 1 }, (_, n) => from + n);

describe('Whoever follows the log', () => {
  it('receives the present events and the later ones, each once', async () => {
    const { log, tail } = given();
    await append(log, 250);
    const all = take(followed(tail), 0, 650);
    const some = take(followed(tail), 240, 410);
    for (let n = 0; n < 400; n++) {
      await append(log, 1);
      // Now and then the readers are in front, and wait.
      if (n % 7 === 0) await new Promise(setImmediate);
    }
    expect(await all).toStrictEqual(upTo(650));
    expect(await some).toStrictEqual(upTo(650, 241));
  });

  it('misses no event that is appended during a read, and is woken once', async () => {
    const { log, history, hint, tail } = withHints();
    const follower = followed(tail);
    const run = history.run.bind(history);
    let looks = 0;
    history.run = async (...args) => {
      const seen = await run(...args);
      looks += 1;
      // Behind what was just read, and before the reader goes to sleep.
      if (looks === 1) {
        await append(log, 1);
        hint();
      }
      return seen;
    };
    expect(await take(follower, 0, 1)).toStrictEqual([1]);
    expect(looks).toBe(2);
  });

  it('sleeps where there is nothing to read, until there is', async () => {
    const { log, history, hint, tail } = withHints();
    await append(log, 1);
    const run = history.run.bind(history);
    let looks = 0;
    history.run = (...args) => {
      looks += 1;
      return run(...args);
    };
    const positions = take(followed(tail), 0, 2);
    await asleep();
    expect(looks).toBe(2);
    await append(log, 1);
    await asleep();
    expect(looks).toBe(2);
    hint();
    expect(await positions).toStrictEqual([1, 2]);
    expect(looks).toBe(3);
  });

  it('reads no further than requested', async () => {
    const { log, history, tail } = given();
    await append(log, 1_000);
    const run = history.run.bind(history);
    let looks = 0;
    history.run = (...args) => {
      looks += 1;
      return run(...args);
    };
    const runs = followed(tail).runs(0)[Symbol.asyncIterator]();
    const first: EventRun = (await runs.next()).value;
    expect(first.events).toHaveLength(100);
    await asleep();
    expect(looks).toBe(1);
  });

  it('shares its reads with later followers', async () => {
    const { log, history, tail } = given();
    await append(log, 6_000);
    const run = history.run.bind(history);
    let looks = 0;
    history.run = (...args) => {
      looks += 1;
      return run(...args);
    };
    const together = [0, 0, 30, 1_950].map((after) => take(followed(tail), after, 6_000 - after));
    expect(await Promise.all(together)).toStrictEqual([
      upTo(6_000),
      upTo(6_000),
      upTo(6_000, 31),
      upTo(6_000, 1_951),
    ]);
    // All runs once, but that those who were far ahead read for themselves at first.
    expect(looks).toBeLessThan(2 * 60);
  });

  it('finds the last fifty runs in the cache', async () => {
    const { log, history, tail } = given();
    await append(log, 6_000);
    await take(followed(tail), 0, 6_000);
    const run = history.run.bind(history);
    let looks = 0;
    history.run = (...args) => {
      looks += 1;
      return run(...args);
    };
    expect(await take(followed(tail), 1_000, 5_000)).toStrictEqual(upTo(6_000, 1_001));
    expect(looks).toBe(0);
    expect(await take(followed(tail), 900, 100)).toStrictEqual(upTo(1_000, 901));
    expect(looks).toBe(1);
  });

  it('reads one run a turn, however many followers there are', async () => {
    const { log, tail } = given();
    await append(log, 1_000);
    let turns = 0;
    const count = () => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    await Promise.all(upTo(20).map(() => take(followed(tail), 0, 1_000)));
    clearImmediate(timer);
    expect(turns).toBeGreaterThanOrEqual(200);
  });

  it('of one type has no others', async () => {
    const { log, tail } = given();
    await append(log, 5);
    const follower = followed(tail);
    const runs: EventRun[] = [];
    for await (const run of follower.runs(0, { type: 'OrderShipped' })) {
      runs.push(run);
      if (runs.length === 2) follower.leave();
      else await append(log, 1);
    }
    expect(runs.map(({ events, end }) => [events.length, end])).toStrictEqual([
      [0, 5],
      [0, 6],
    ]);
  });

  it('waits for the events after a position beyond the head', async () => {
    const { log, tail } = given();
    const positions = take(followed(tail), 3, 1);
    for (let n = 0; n < 4; n++) {
      await asleep();
      await append(log, 1);
    }
    expect(await positions).toStrictEqual([4]);
  });

  it('ends when it leaves, and when all have to', async () => {
    const { log, tail } = given();
    await append(log, 1);
    const [one, other] = [followed(tail), followed(tail)];
    const ends = [take(one, 0), take(other, 0)];
    one.leave();
    expect(await ends[0]).toStrictEqual([]);
    expect(other.left.aborted).toBe(false);
    await asleep();
    tail.close();
    expect(await ends[1]).toStrictEqual([1]);
    expect(other.left.aborted).toBe(true);
  });

  it('ends the watch of the log when the last one leaves', () => {
    const { tail, isWatched } = withHints();
    expect(isWatched()).toBe(true);
    tail.close();
    expect(isWatched()).toBe(false);
  });

  it('leaves at once if all have had to leave', async () => {
    const { log, tail } = given();
    await append(log, 1);
    tail.close();
    const late = followed(tail);
    expect(late.left.aborted).toBe(true);
    expect(await take(late, 0)).toStrictEqual([]);
  });
});

it('A hundred can follow the log, and one more when one has left', () => {
  const { tail } = given();
  const followers = Array.from({ length: 100 }, () => followed(tail));
  expect(tail.follow()).toBeUndefined();
  expect(tail.followers).toBe(100);
  followers[7]?.leave();
  followers[7]?.leave();
  expect(tail.followers).toBe(99);
  expect(tail.follow()).toBeDefined();
  expect(tail.follow()).toBeUndefined();
});
