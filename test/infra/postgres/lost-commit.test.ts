import { describe, expect, it, onTestFinished } from 'vitest';
import type { Decide, KeptOutcome } from '../../../src/app/ports/event-log.ts';
import { StoreUnavailable } from '../../../src/app/ports/store.ts';
import type { OrderId } from '../../../src/domain/order-id.ts';
import { Database } from '../../../src/infra/postgres/database.ts';
import { PostgresEventLog } from '../../../src/infra/postgres/postgres-event-log.ts';
import { newEvent, placed, readAll } from '../../support/events.ts';
import { newDatabase } from '../../support/postgres/databases.ts';
import { Network } from '../../support/postgres/network.ts';

const KEPT: KeptOutcome = {
  by: 'alice',
  key: 'a',
  fingerprint: 'f',
  decided: { kind: 'accepted', orderId: 1n as OrderId, version: 1 },
};

const place: Decide = () => [newEvent(placed(1n))];
const placeAndKeep: Decide = (_newer, kept) => {
  kept.keep(KEPT);
  return [newEvent(placed(1n))];
};

/** A log that is reached through a network, and another handle that needs none. */
async function given(settleWithin?: number) {
  const url = await newDatabase();
  const { port } = new URL(url);
  const network = await Network.start(Number(port));
  const log = new PostgresEventLog(new Database(network.through(url)), undefined, settleWithin);
  const beside = new PostgresEventLog(new Database(url));
  onTestFinished(async () => {
    network.isOpen = true;
    await log.close();
    await beside.close();
    await network[Symbol.asyncDispose]();
  });
  return { url, network, log, beside };
}

// With the end of the text: READ COMMITTED is something else.
const saysCommit = (bytes: Buffer) => bytes.includes('COMMIT\0');

/** Lets the next commit reach the server, and cuts the connection instead of passing its reply. */
function loseNextReply(network: Network, also: () => void = () => {}): void {
  let isDone = false;
  network.fromClient = (bytes, link) => {
    if (saysCommit(bytes) && !isDone) {
      isDone = true;
      link.isMarked = true;
    }
    return 'pass';
  };
  network.fromServer = async (bytes, link) => {
    if (!link.isMarked) return 'pass';
    // The reply to the write may come by itself, before that to the commit.
    if (!saysCommit(bytes)) return 'drop';
    also();
    return 'cut';
  };
}

/** Cuts the connection instead of passing the next commit on. */
function loseNextCommit(network: Network): void {
  let isDone = false;
  network.fromClient = (bytes) => {
    if (!saysCommit(bytes) || isDone) return 'pass';
    isDone = true;
    return 'cut';
  };
}

describe('a network that swallows everything', () => {
  const swallow = (network: Network) => {
    network.fromServer = () => 'drop';
  };
  const timeouts = { connect: 300, answer: 300 };

  it('is noticed: what was read or begun is refused, and nothing waits for ever', async () => {
    const { network, url } = await given();
    const db = new Database(network.through(url), undefined, timeouts);
    const log = new PostgresEventLog(db);
    expect(await log.head()).toBe(0);
    swallow(network);
    await expect(log.head()).rejects.toThrow(StoreUnavailable);
    expect(await log.append(0, place)).toMatchObject({ kind: 'unavailable' });
    network.fromServer = () => 'pass';
    network.cutAll();
    expect(await log.append(0, place)).toMatchObject({ kind: 'appended' });
    await log.close();
  });

  it('at a commit is settled when it is heard again', async () => {
    const { network, url } = await given();
    const log = new PostgresEventLog(new Database(network.through(url), undefined, timeouts));
    await log.append(0, place);
    let isDone = false;
    network.fromClient = (bytes) => {
      if (saysCommit(bytes) && !isDone) {
        isDone = true;
        swallow(network);
        setTimeout(() => {
          network.fromServer = () => 'pass';
        }, 800);
      }
      return 'pass';
    };
    const result = await log.append(1, () => [newEvent(placed(2n))]);
    expect(result).toMatchObject({ kind: 'appended', events: [{ position: 2 }] });
    expect(await readAll(log)).toHaveLength(2);
    await log.close();
  });
});

describe('a connection that is lost at the commit', () => {
  it('is no loss where the commit has arrived: the log is looked at, and has it', async () => {
    const { network, log, beside } = await given();
    loseNextReply(network);
    const result = await log.append(0, placeAndKeep, [KEPT]);
    expect(result).toMatchObject({ kind: 'appended', events: [{ position: 1 }] });
    expect(await readAll(beside)).toHaveLength(1);
    expect(await log.append(1, () => [newEvent(placed(2n))])).toMatchObject({ kind: 'appended' });
  });

  it('is settled as well where only an outcome was kept', async () => {
    const { network, log, beside } = await given();
    loseNextReply(network);
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

  it('has changed nothing where the commit has not arrived', async () => {
    const { network, log, beside } = await given();
    loseNextCommit(network);
    expect(await log.append(0, placeAndKeep, [KEPT])).toMatchObject({ kind: 'unavailable' });
    expect(await beside.head()).toBe(0);
    expect(await log.append(0, placeAndKeep, [KEPT])).toMatchObject({ kind: 'appended' });
  });

  it('is no answer where nothing can be looked at, and the log goes on when it can', async () => {
    const { network, log, beside } = await given(500);
    loseNextReply(network, () => {
      network.isOpen = false;
    });
    const result = await log.append(0, place);
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
    const { network, log, beside } = await given();
    loseNextCommit(network);
    const [mine, other] = await Promise.all([
      log.append(0, () => [newEvent(placed(1n))]),
      beside.append(0, () => [{ ...newEvent(placed(1n)), version: 7 }]),
    ]);
    expect([mine.kind, other.kind]).toStrictEqual(['unavailable', 'appended']);
    expect(await readAll(beside)).toMatchObject([{ position: 1, version: 7 }]);
  });
});
