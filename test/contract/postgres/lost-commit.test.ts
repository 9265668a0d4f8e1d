import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Decide, KeptOutcome } from '../../../src/app/ports/event-log.ts';
import { StoreUnavailable } from '../../../src/app/ports/store.ts';
import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { PostgresEventLog } from '../../../src/infra/postgres/event-log.ts';
import { newEvent, placed, readAll } from '../../support/events.ts';
import { KEPT, openDistantLog } from '../../support/postgres/distant-log.ts';
import type { Network } from '../../support/postgres/network.ts';

const place: Decide = () => [newEvent(placed(1n))];
const placeAndKeep: Decide = (_newer, kept) => {
  kept.keep(KEPT);
  return [newEvent(placed(1n))];
};

/** A way to append: what is recorded by it, and what is said when that is to be for good. */
interface Way {
  readonly name: string;
  readonly decide: Decide;
  readonly asked: readonly KeptOutcome[];
  /** The answer if the commit has not arrived, and there is still room for it. */
  readonly otherwise: 'unavailable' | 'unknown';
  readonly isSaid: (bytes: Buffer) => boolean;
  readonly isAnswered: (bytes: Buffer) => boolean;
}

// With the end of the text: READ COMMITTED is something else.
const saysCommit = (bytes: Buffer) => bytes.includes('COMMIT\0');

const LOCKED: Way = {
  name: 'of a transaction',
  decide: placeAndKeep,
  asked: [KEPT],
  otherwise: 'unavailable',
  isSaid: saysCommit,
  isAnswered: saysCommit,
};
const AT_ONCE: Way = {
  name: 'of a statement by itself',
  decide: place,
  asked: [],
  otherwise: 'unknown',
  isSaid: (bytes) => bytes.includes('\0write_'),
  isAnswered: (bytes) => bytes.includes('SELECT 1\0'),
};
const WAYS = [LOCKED, AT_ONCE];

/** Lets the next commit reach the server, and cuts the connection instead of passing its reply. */
function loseNextReply(network: Network, way: Way, also: () => void = () => {}): void {
  let isDone = false;
  network.fromClient = (bytes, link) => {
    if (way.isSaid(bytes) && !isDone) {
      isDone = true;
      link.isMarked = true;
    }
    return 'pass';
  };
  network.fromServer = async (bytes, link) => {
    if (!link.isMarked) return 'pass';
    // The reply to the write may come by itself, before that to the commit.
    if (!way.isAnswered(bytes)) return 'drop';
    also();
    return 'cut';
  };
}

/** Cuts the connection instead of passing the next commit on. */
function loseNextCommit(network: Network, { isSaid }: Way): void {
  let isDone = false;
  network.fromClient = (bytes) => {
    if (!isSaid(bytes) || isDone) return 'pass';
    isDone = true;
    return 'cut';
  };
}

describe('a network that swallows everything', () => {
  const swallow = (network: Network) => {
    network.fromServer = () => 'drop';
  };
  // Longer than a busy machine takes for an answer.
  const timeouts = { connect: 1_000, answer: 1_000 };

  it('is noticed: what was read or begun is refused, and nothing waits for ever', async () => {
    const { network, url } = await openDistantLog();
    const told: string[] = [];
    const reach = {
      outOfReach: () => void told.push('out'),
      inReach: () => void told.push('in'),
      standbyIsSilent: () => void told.push('standby'),
    };
    const db = new Database(network.through(url), reach, timeouts);
    const log = new PostgresEventLog(db);
    // Several connections that were made before, and seem to be well.
    await Promise.all(Array.from({ length: 4 }, () => log.head()));
    swallow(network);
    await expect(log.head()).rejects.toThrow(StoreUnavailable);
    expect(await log.append(0, placeAndKeep, [KEPT])).toMatchObject({ kind: 'unavailable' });
    await expect(log.head()).rejects.toThrow(StoreUnavailable);
    expect(told).toStrictEqual(['out']);
    network.fromServer = () => 'pass';
    network.cutAll();
    // A cut connection may be noticed only when it is used.
    await expect.poll(() => db.connections.idle).toBe(0);
    while ((await log.append(0, place)).kind !== 'appended');
    expect(await log.head()).toBe(1);
    expect(told).toStrictEqual(['out', 'in']);
    await log.close();
  });

  it.each(WAYS)('at a commit $name is settled when it is heard again', async (way) => {
    const { network, url } = await openDistantLog();
    const db = new Database(network.through(url), undefined, timeouts);
    const log = new PostgresEventLog(db, { maxSearchMs: 6_000 });
    await log.append(0, () => [newEvent(placed(2n))]);
    let isDone = false;
    network.fromClient = (bytes) => {
      if (way.isSaid(bytes) && !isDone) {
        isDone = true;
        swallow(network);
        setTimeout(() => {
          network.fromServer = () => 'pass';
        }, 2_500);
      }
      return 'pass';
    };
    const result = await log.append(1, way.decide, way.asked);
    expect(result).toMatchObject({ kind: 'appended', events: [{ position: 2 }] });
    expect(await readAll(log)).toHaveLength(2);
    await log.close();
  });
});

describe.each(WAYS)('a connection that is lost at the commit $name', (way) => {
  it('is no loss if the commit has arrived: it is found in the log', async () => {
    const { network, log, beside } = await openDistantLog();
    loseNextReply(network, way);
    const result = await log.append(0, way.decide, way.asked);
    expect(result).toMatchObject({ kind: 'appended', events: [{ position: 1 }] });
    expect(await readAll(beside)).toHaveLength(1);
    expect(await log.append(1, () => [newEvent(placed(2n))])).toMatchObject({ kind: 'appended' });
  });

  it('has changed nothing if the commit has not arrived', async () => {
    const { network, log, beside } = await openDistantLog();
    loseNextCommit(network, way);
    expect(await log.append(0, way.decide, way.asked)).toMatchObject({ kind: way.otherwise });
    expect(await beside.head()).toBe(0);
    expect(await log.append(0, way.decide, way.asked)).toMatchObject({ kind: 'appended' });
  });

  it('is an unknown outcome if the log cannot be searched, and the log continues later', async () => {
    const { network, log, beside } = await openDistantLog(500);
    loseNextReply(network, way, () => {
      network.isOpen = false;
    });
    const result = await log.append(0, way.decide, way.asked);
    expect(result.kind).toBe('unknown');
    network.isOpen = true;
    // It was recorded after all: whoever decides next is shown it.
    let newer: unknown;
    const next = await log.append(0, (given) => {
      newer = given;
      return [newEvent(placed(2n))];
    });
    expect(newer).toMatchObject([{ position: 1 }]);
    expect(next).toMatchObject({ kind: 'appended', events: [{ position: 2 }] });
    expect(await readAll(beside)).toHaveLength(2);
  });

  it('is not taken for another transaction that went on in its place', async () => {
    const { network, log, beside } = await openDistantLog();
    // Connected, so that it does not come too late.
    await beside.head();
    loseNextCommit(network, way);
    const [mine, other] = await Promise.all([
      log.append(0, way.decide, way.asked),
      beside.append(0, () => [{ ...newEvent(placed(1n)), version: 7 }]),
    ]);
    expect([mine.kind, other.kind]).toStrictEqual(['unavailable', 'appended']);
    expect(await readAll(beside)).toMatchObject([{ position: 1, version: 7 }]);
  });
});

it('a statement by itself that arrives after it was given up is not said to have changed nothing', async () => {
  const { network, url, beside } = await openDistantLog();
  const timeouts = { connect: 300, answer: 300 };
  const log = new PostgresEventLog(new Database(network.through(url), undefined, timeouts));
  onTestFinished(() => log.close());
  await log.head();
  const arrival = Promise.withResolvers<'pass'>();
  network.fromClient = (bytes, link) => {
    if (!AT_ONCE.isSaid(bytes)) return 'pass';
    link.isLate = true;
    return arrival.promise;
  };
  const result = await log.append(0, place);
  arrival.resolve('pass');
  // Nobody else has appended, so there is still room for it.
  while ((await beside.head()) === 0) await wait(10);
  expect(result.kind).toBe('unknown');
});

it('a lost commit is resolved even if only an outcome was kept', async () => {
  const { network, log, beside } = await openDistantLog();
  loseNextReply(network, LOCKED);
  const keep: Decide = (_newer, kept) => {
    kept.keep(KEPT);
    return [];
  };
  expect(await log.append(0, keep, [KEPT])).toStrictEqual({ kind: 'appended', events: [] });
  const recall: Decide = (_newer, kept) => {
    expect(kept.recall('alice', 'a')).toStrictEqual(KEPT);
    return [];
  };
  await beside.append(0, recall, [KEPT]);
});
