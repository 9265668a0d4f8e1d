import { describe, expect, it, onTestFinished } from 'vitest';
import { NoteSigner } from '../../src/app/audit/proving/checkpoint.ts';
import { copyStore } from '../../src/app/lifecycle/copy-store.ts';
import type { Decide, EventLog, KeptOutcome } from '../../src/app/ports/event-log.ts';
import { type ApiKey, SCOPES } from '../../src/app/ports/key-store.ts';
import type { CommandLineStore } from '../../src/app/ports/store.ts';
import type { StoreCopy, StoreOriginal } from '../../src/app/ports/store-copy.ts';
import type { OrderId } from '../../src/domain/order-id.ts';
import { LATER, NOON, newEvent, placed, readAll, TRACEPARENT } from '../support/events.ts';
import { seed } from '../support/witnessed-log.ts';
import { refusal } from './refusal-trail.ts';

/** One place where a store is, or may come to be. */
export interface CopyPlace {
  open(): Promise<CommandLineStore>;
  openOriginal(): Promise<StoreOriginal>;
  openCopy(id: string): Promise<StoreCopy>;
}

/**
 * The contract of a copy from one engine to another.
 * @param original Makes a place with an empty store.
 * @param place Makes a place without one.
 */
export function storeCopyContract(
  name: string,
  original: () => Promise<CopyPlace>,
  place: () => Promise<CopyPlace>,
): void {
  async function given(events: number) {
    const [from, to] = [await original(), await place()];
    await filled(from, events);
    return { from, to };
  }

  describe(`a copy ${name}`, () => {
    it('has everything that the store has, and continues from there', async () => {
      const { from, to } = await given(4_500);
      const told: number[] = [];
      const { size, root: rootBytes } = await copy(from, to, (events) => told.push(events));
      const root = Buffer.from(rootBytes).toString('hex');
      expect(rootBytes).toHaveLength(32);
      expect(size).toBe(4_500);
      expect(told).toStrictEqual([2_000, 4_000, 4_500]);
      expect(await contentsOf(to)).toStrictEqual(await contentsOf(from));
      expect(await contentsOf(to)).toMatchObject({ root, traces: { size: 1_500 } });
      const store = await to.open();
      const recall: Decide = (newer, kept) => {
        expect(newer).toStrictEqual([]);
        expect(KEPT.map(({ by, key }) => kept.recall(by, key))).toStrictEqual(KEPT);
        return [newEvent(placed(99n))];
      };
      const appended = await store.log.append(size, recall, KEPT);
      expect(appended).toMatchObject({ kind: 'appended', events: [{ position: 4_501 }] });
      await store.close();
    });

    it('of an empty store is an empty store', async () => {
      const { from, to } = await given(0);
      expect(await copy(from, to)).toMatchObject({ size: 0 });
      expect(await contentsOf(to)).toStrictEqual(await contentsOf(from));
    });

    it('that was interrupted cannot be opened, and is continued', async () => {
      const { from, to } = await given(4_500);
      const interrupted = copy(from, to, (events) => {
        if (events === 4_000) throw new Error('interrupted');
      });
      await expect(interrupted).rejects.toThrow('interrupted');
      const told: number[] = [];
      await copy(from, to, (events) => told.push(events));
      expect(told).toStrictEqual([4_500]);
      expect(await contentsOf(to)).toStrictEqual(await contentsOf(from));
    });

    it('includes what was recorded between two attempts', async () => {
      const { from, to } = await given(10);
      const unfinished = await to.openCopy(await idOf(from));
      const growing = await from.openOriginal();
      const grows: StoreOriginal = {
        ...growing,
        trail: {
          ...boundTrail(growing),
          treeHead: async () => ({ size: 11, root: Buffer.alloc(1) }),
        },
      };
      await expect(copyStore(grows, unfinished, () => {})).rejects.toThrow(
        'The store of 10 events has changed while it was copied: it has 11. Stop everything that ' +
          'uses it, and run the same command again: it continues from here.',
      );
      await unfinished.close();
      await growing.close();
      const store = await from.open();
      await append(store.log, 3);
      await store.keys.revoke(ACTIVE.id, LATER);
      await store.keys.limit(ACTIVE.id, { streams: 3 });
      await store.keys.limit(LIMITED.id, {});
      await store.signingKeys.add(
        { verifierKey: new NoteSigner('log', seed(2)).verifierKey, since: LATER },
        1,
      );
      await store.refusals.append([refusal(3)]);
      await store.close();
      expect(await copy(from, to)).toMatchObject({ size: 13 });
      expect(await contentsOf(to)).toStrictEqual(await contentsOf(from));
    });

    it('is continued in the same epoch, wherever it was interrupted', async () => {
      const { from, to } = await given(10);
      for (const write of WRITES) {
        for (const moment of ['before', 'after'] as const) {
          await interrupted(from, to, write, moment);
        }
      }
      await expect(copy(from, to)).rejects.toThrow(/already/);
      expect(await contentsOf(to)).toStrictEqual(await contentsOf(from));
      expect([await epochOf(from), await epochOf(to)]).toStrictEqual([1, 0]);
    });

    it('to a second place begins an epoch, and is not the only one to do so', async () => {
      const { from, to } = await given(10);
      const other = await place();
      await interrupted(from, to, 'finish', 'before');
      await copy(from, other);
      await copy(from, to);
      expect([await epochOf(other), await epochOf(to)]).toStrictEqual([1, 2]);
    });

    it('that is refused changes nothing in the store', async () => {
      const { from, to } = await given(10);
      const [taken, begun] = [await place(), await place()];
      await copy(from, taken);
      await (await begun.openCopy('0123456789abcdef')).close();
      await expect(copy(from, taken)).rejects.toThrow(/already/);
      await expect(copy(from, begun)).rejects.toThrow(/another store/i);
      await copy(from, to);
      expect(await epochOf(to)).toBe(1);
    });

    it('is refused while another one is made from there, or to there', async () => {
      const { from, to } = await given(10);
      const opened = await from.openOriginal();
      await expect(from.openOriginal()).rejects.toThrow(/Stop it first|Let it finish first/);
      const copied = await to.openCopy(opened.id);
      await expect(to.openCopy(opened.id)).rejects.toThrow(/migrate-store.* Let it finish first/);
      await copied.close();
      await opened.close();
      expect(await copy(from, to)).toMatchObject({ size: 10 });
      expect(await epochOf(to)).toBe(0);
    });

    it('is refused if there is a store already', async () => {
      const { from, to } = await given(10);
      await copy(from, to);
      await expect(copy(from, to)).rejects.toThrow(/already/);
    });

    it('is refused if another store is being copied', async () => {
      const { from, to } = await given(10);
      const other = await to.openCopy('0123456789abcdef');
      await other.close();
      await expect(copy(from, to)).rejects.toThrow(/another store/i);
    });

    it('is refused if the copy is not a part of the store', async () => {
      const { from, to } = await given(10);
      const copied = await to.openCopy(await idOf(from));
      const opened = await from.openOriginal();
      const [first] = await opened.trail.stored(0, 1);
      const other = { ...(first as NonNullable<typeof first>), version: 2 };
      await copied.append([other], new Map());
      await expect(copyStore(opened, copied, () => {})).rejects.toThrow(
        'The copy has 1 events that are not those of the store',
      );
      await copied.close();
      await opened.close();
    });

    it('is refused if the copy has more than the store', async () => {
      const { from, to } = await given(0);
      const copied = await to.openCopy(await idOf(from));
      const other = await original();
      await filled(other, 1);
      const [opened, grown] = [await from.openOriginal(), await other.openOriginal()];
      await copied.append(await grown.trail.stored(0, 1), new Map());
      await expect(copyStore(opened, copied, () => {})).rejects.toThrow(
        'The copy has 1 events that are not those of the store',
      );
      for (const each of [copied, opened, grown]) await each.close();
    });
  });
}

const ACTIVE: ApiKey = {
  id: 'AbCdEfGh01',
  name: 'the warehouse',
  hash: Buffer.alloc(32, 7),
  scopes: SCOPES,
  createdAt: NOON,
};
const LIMITED: ApiKey = { ...ACTIVE, id: 'LIMITED000', limits: { concurrent: 10 } };
const REVOKED: ApiKey = { ...ACTIVE, id: '0000000000', expiresAt: LATER, revokedAt: NOON };

const KEPT: readonly KeptOutcome[] = [
  {
    by: '0000000000',
    key: '!',
    fingerprint: 'e',
    decided: { kind: 'accepted', orderId: 1n as OrderId, version: 1 },
  },
  {
    by: 'alice',
    key: 'a',
    fingerprint: 'f',
    decided: { kind: 'accepted', orderId: (2n ** 63n - 1n) as OrderId, version: 2 },
  },
  {
    by: 'bob',
    key: 'a',
    fingerprint: 'g',
    decided: { kind: 'rejected', reason: 'order_already_shipped' },
  },
];

/** Fills a store with so many events, and with everything else that a store can have. */
async function filled(place: CopyPlace, events: number): Promise<void> {
  const store = await place.open();
  onTestFinished(() => store.close());
  await append(store.log, events, KEPT);
  await store.keys.add(ACTIVE);
  await store.keys.add(REVOKED);
  await store.keys.add(LIMITED);
  await store.signingKeys.add(
    { verifierKey: new NoteSigner('log', seed(1)).verifierKey, since: NOON },
    0,
  );
  await store.refusals.append([refusal(1), refusal(2)]);
  await store.close();
}

async function append(
  log: EventLog,
  count: number,
  keep: readonly KeptOutcome[] = [],
): Promise<void> {
  const head = await log.head();
  const decide: Decide = (_newer, kept) => {
    for (const outcome of keep) kept.keep(outcome);
    return Array.from({ length: count }, (_, n) => ({
      ...newEvent(placed(BigInt(head + n + 1))),
      ...(n % 3 === 0 && { traceparent: TRACEPARENT }),
    }));
  };
  expect(await log.append(head, decide, keep)).toMatchObject({ kind: 'appended' });
}

async function copy(from: CopyPlace, to: CopyPlace, advanced: (events: number) => void = () => {}) {
  const original = await from.openOriginal();
  try {
    const copied = await to.openCopy(original.id);
    try {
      return await copyStore(original, copied, advanced);
    } finally {
      await copied.close();
    }
  } finally {
    await original.close();
  }
}

/** The writes of a copy, in an order in which each follows in a copy that the one before has ended. */
const WRITES = [
  'beginDueEpoch',
  'append',
  'keep',
  'keys.add',
  'signingKeys.add',
  'keys.revoke',
  'keys.limit',
  'refusals.append',
  'enter',
  'handOver',
  'finish',
];

/** Copies a store, and interrupts that before or after the first write of a kind. */
async function interrupted(
  from: CopyPlace,
  to: CopyPlace,
  write: string,
  moment: 'before' | 'after',
): Promise<void> {
  const cut = async (name: string, work: () => unknown) => {
    if (name === write && moment === 'before') throw new Error('interrupted');
    const result = await work();
    if (name === write) throw new Error('interrupted');
    return result;
  };
  const cutting = (place: CopyPlace): CopyPlace => ({
    ...place,
    openOriginal: async () => withCuts(await place.openOriginal(), cut),
    openCopy: async (id) => withCuts(await place.openCopy(id), cut),
  });
  const copying = copy(cutting(from), cutting(to));
  await expect(copying, `${moment} ${write}`).rejects.toThrow('interrupted');
}

/** Returns a part of a store whose writes, and those of its own parts, are done by `cut`. */
function withCuts<Part extends object>(
  part: Part,
  cut: (name: string, work: () => unknown) => Promise<unknown>,
  path = '',
): Part {
  return new Proxy(part, {
    get(target, name: string) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member === 'object' && member !== null)
        return withCuts(member, cut, `${path}${name}.`);
      if (typeof member !== 'function') return member;
      const work = (...values: unknown[]) => member.apply(target, values);
      if (!WRITES.includes(path + name)) return work;
      return (...values: unknown[]) => cut(path + name, () => work(...values));
    },
  });
}

/** The number of the epoch that a store is in, once something is recorded. */
async function epochOf(place: CopyPlace): Promise<number> {
  const writing = await place.open();
  await append(writing.log, 1);
  await writing.close();
  const { epochs, close } = await place.open();
  await close();
  return epochs.number;
}

/** Everything in a store, as a reader sees it. */
async function contentsOf(place: CopyPlace) {
  const { id, log, trail, keys, signingKeys, refusals, close } = await place.open();
  const { root } = await trail.treeHead();
  const contents = {
    id,
    events: await readAll(log),
    stored: await trail.stored(0, 10_000),
    traces: await trail.traces(Array.from({ length: 10_000 }, (_, n) => n + 1)),
    root: Buffer.from(root).toString('hex'),
    keys: await keys.list(),
    signingKeys: await signingKeys.list(),
    refusals: await refusals.newest(100),
  };
  await close();
  return contents;
}

async function idOf(place: CopyPlace): Promise<string> {
  const { id, close } = await place.open();
  await close();
  return id;
}

/** The parts of a trail, each of which can be replaced. */
function boundTrail({ trail }: StoreOriginal): StoreOriginal['trail'] {
  return {
    stored: (after, limit) => trail.stored(after, limit),
    traces: (positions) => trail.traces(positions),
    treeHead: () => trail.treeHead(),
    leaves: (from, count) => trail.leaves(from, count),
    nodes: (height, from, count) => trail.nodes(height, from, count),
  };
}
