import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Monitor } from '../../../../../src/app/audit/monitor/monitor.ts';
import type { Round } from '../../../../../src/app/audit/monitor/monitor-round.ts';
import { readState, writeState } from '../../../../../src/app/audit/monitor/monitor-state.ts';
import { readUnproven } from '../../../../../src/app/audit/monitor/unproven.ts';
import { NoteSigner } from '../../../../../src/app/audit/proving/checkpoint.ts';
import { LogAway } from '../../../../../src/app/ports/published-log.ts';
import type { OrderEvent } from '../../../../../src/domain/order.ts';
import { decodeStrictly } from '../../../../../src/infra/events/codec.ts';
import { cancelled, placed, shipped } from '../../../../support/events.ts';
import { manyRecords } from '../../../../support/memory-tree.ts';
import { runs } from '../../../../support/nightly.ts';
import {
  MemoryFiles,
  MemoryLog,
  publishedFiles,
  recordsOf,
} from '../../../../support/published.ts';

const signer = new NoteSigner('orders.example/log', Buffer.alloc(32, 7));
const stranger = new NoteSigner('orders.example/log', Buffer.alloc(32, 8));

/** 600 orders, of which the first hundred have ended: 700 events. */
const RECORDS = recordsOf([
  ...Array.from({ length: 600 }, (_, n) => placed(BigInt(n + 1))),
  ...Array.from({ length: 50 }, (_, n) => shipped(BigInt(n + 1))),
  ...Array.from({ length: 50 }, (_, n) => cancelled(BigInt(n + 51), 'customer_request')),
]);

const NONE_UNPROVEN = '{"format":"store-orders/monitor-unproven/v1","checkpoints":[]}';

interface Start {
  readonly withRecords?: boolean;
  readonly acceptedEpoch?: string;
}

/** A monitor of a log in memory, which can be ended and started again. */
class Watch {
  readonly log: MemoryLog;
  readonly files = new MemoryFiles();
  readonly #keys: readonly string[];
  #monitor: Monitor;

  constructor(records = RECORDS, keys = [signer.verifierKey]) {
    this.#keys = keys;
    this.log = new MemoryLog(publishedFiles(records, signer));
    this.#monitor = this.start();
  }

  /** Starts it again with what its files have. */
  start({ withRecords = true, acceptedEpoch }: Start = {}): Monitor {
    const { state } = this.files;
    const read = state === undefined ? undefined : readState(state, this.#keys);
    if (read?.ok === false) expect.fail(read.reason);
    const decode = withRecords ? decodeStrictly : undefined;
    const monitoring = { keys: this.#keys, decode, acceptedEpoch };
    const unproven = readUnproven(this.files.unproven ?? NONE_UNPROVEN, this.#keys);
    if (!unproven.ok) expect.fail(unproven.reason);
    this.#monitor = new Monitor(this.log, this.files, monitoring, read?.value, unproven.value);
    return this.#monitor;
  }

  /** Publishes another state of the log, and does a round. */
  round(records?: readonly string[], by = signer, epoch?: string): Promise<Round> {
    if (records !== undefined) this.log.files = publishedFiles(records, by, epoch);
    return this.#monitor.round();
  }
}

const problemOf = (round: Round) =>
  round.kind === 'refuted' ? round.finding.problem : expect.fail(round.kind);

describe('a round', () => {
  it('verifies the whole log the first time, and then what is new', async () => {
    const watch = new Watch(RECORDS.slice(0, 300));
    expect(await watch.round()).toEqual({ kind: 'verified', size: 300, added: 300, checked: 300 });
    const before = watch.log.asked.length;
    expect(await watch.round(RECORDS)).toEqual({
      kind: 'verified',
      size: 700,
      added: 400,
      checked: 700,
    });
    expect(watch.log.asked.slice(before).toSorted()).toEqual([
      'checkpoint',
      'tile/0/001',
      'tile/0/002.p/188',
      'tile/1/000.p/2',
      'tile/entries/001',
      'tile/entries/002.p/188',
    ]);
    expect(await watch.round()).toEqual({ kind: 'verified', size: 700, added: 0, checked: 700 });
    expect(watch.log.asked.at(-1)).toBe('checkpoint');
  });

  it('verifies an empty log, and its first events', async () => {
    const watch = new Watch([]);
    expect(await watch.round()).toEqual({ kind: 'verified', size: 0, added: 0, checked: 0 });
    expect(await watch.round(RECORDS.slice(0, 1))).toMatchObject({ kind: 'verified', added: 1 });
    expect(await watch.round([])).toEqual({ kind: 'behind', size: 0, known: 1 });
  });

  it('checks the hashes alone where the records cannot be read, and later the records', async () => {
    const watch = new Watch();
    watch.start({ withRecords: false });
    expect(await watch.round()).toEqual({ kind: 'verified', size: 700, added: 700 });
    expect(watch.log.asked.some((path) => path.includes('entries'))).toBe(false);
    watch.start();
    expect(await watch.round()).toEqual({ kind: 'verified', size: 700, added: 0, checked: 700 });
  });

  it('reads a full tile where the partial one was deleted', async () => {
    const watch = new Watch();
    const { files } = watch.log;
    const short = publishedFiles(RECORDS.slice(0, 300), signer);
    for (const path of ['tile/0/001.p/44', 'tile/entries/001.p/44']) short.delete(path);
    watch.log.files = new Map([...files, ...short]);
    expect(await watch.round()).toMatchObject({ kind: 'verified', size: 300, checked: 300 });
    expect(watch.log.asked).toContain('tile/0/001.p/44');
    expect(watch.log.asked).toContain('tile/0/001');
  });

  it('has no verdict about what the log does not send', async () => {
    const watch = new Watch();
    for (const path of ['checkpoint', 'tile/0/001', 'tile/1/000.p/2', 'tile/entries/001']) {
      const bytes = watch.log.files.get(path) as Buffer;
      watch.log.files.delete(path);
      await expect(watch.round(), path).rejects.toThrow(LogAway);
      watch.log.files.set(path, bytes);
    }
    expect(await watch.round()).toMatchObject({ kind: 'verified', size: 700, checked: 700 });
  });

  it('goes on with the records where it was interrupted', async () => {
    const watch = new Watch();
    watch.log.files.delete('tile/entries/002.p/188');
    await expect(watch.round()).rejects.toThrow('is missing, and the log has signed 700 events');
    watch.start();
    const before = watch.log.asked.length;
    expect(await watch.round(RECORDS)).toMatchObject({ added: 0, checked: 700 });
    expect(watch.log.asked.slice(before)).toEqual(['checkpoint', 'tile/entries/002.p/188']);
  });

  it('takes a checkpoint that others have signed, too', async () => {
    const watch = new Watch();
    const { files } = watch.log;
    const note = `${files.get('checkpoint')}`;
    const other = new NoteSigner('witness.example', Buffer.alloc(32, 9));
    const [, line] = other.sign(note.slice(0, note.indexOf('\n\n') + 1)).split('\n\n');
    files.set('checkpoint', Buffer.from(`${note}${line}`));
    expect(await watch.round()).toMatchObject({ kind: 'verified' });
  });
});

describe('a new signing key', () => {
  it('is taken beside the old one, which is not needed any more then', async () => {
    const keys = [signer.verifierKey, stranger.verifierKey];
    const watch = new Watch(RECORDS.slice(0, 300), keys);
    await watch.round();
    watch.start();
    expect(await watch.round(RECORDS, stranger)).toMatchObject({ kind: 'verified', added: 400 });
    const { state = '' } = watch.files;
    expect(readState(state, [stranger.verifierKey])).toMatchObject({ ok: true });
    expect(readState(state, [signer.verifierKey])).toMatchObject({ ok: false });
  });
});

describe('a checkpoint with two keys of the log', () => {
  it('is refused with a false signature in the name of either', async () => {
    const keys = [signer.verifierKey, stranger.verifierKey];
    const watch = new Watch(RECORDS.slice(0, 9), keys);
    const note = `${watch.log.files.get('checkpoint')}`;
    const other = publishedFiles(RECORDS.slice(0, 8), stranger).get('checkpoint');
    const line = `${other}`.trim().split('\n').at(-1);
    watch.log.files.set('checkpoint', Buffer.from(`${note}${line}\n`));
    const problem = 'the checkpoint: the signature is not that of the public key on this text';
    expect(problemOf(await watch.round())).toBe(problem);
    const own = `${publishedFiles(RECORDS.slice(0, 9), stranger).get('checkpoint')}`;
    const both = `${note}${own.trim().split('\n').at(-1)}\n`;
    watch.log.files.set('checkpoint', Buffer.from(both));
    expect(await watch.round()).toMatchObject({ kind: 'verified', size: 9 });
  });
});

describe('a checkpoint of before', () => {
  it('is no fork, and leaves the state as it is', async () => {
    const watch = new Watch();
    await watch.round();
    const { state } = watch.files;
    for (const size of [0, 1, 256, 300, 699]) {
      const round = await watch.round(RECORDS.slice(0, size));
      expect(round).toEqual({ kind: 'behind', size, known: 700 });
    }
    expect(watch.files.state).toBe(state);
  });

  it.each(['lost', 'changed'])('is compared although the known leaves were %s', async (how) => {
    const watch = new Watch();
    await watch.round();
    const { leaves } = watch.files;
    if (how === 'lost') leaves.write(0, Buffer.alloc(0));
    else leaves.bytes.fill(1, 640, 650);
    const older = publishedFiles(RECORDS.slice(0, 300), signer).get('checkpoint') as Buffer;
    watch.log.files.set('checkpoint', older);
    expect(await watch.round()).toEqual({ kind: 'behind', size: 300, known: 700 });
    expect(leaves.count).toBe(700);
    expect(await watch.round(RECORDS)).toMatchObject({ kind: 'verified' });
  });

  it('has no verdict while the lost leaves cannot be had again', async () => {
    const watch = new Watch();
    await watch.round();
    watch.files.leaves.write(0, Buffer.alloc(0));
    watch.log.flip('tile/0/001', 77);
    expect(problemOf(await watch.round())).toBe(
      'the tiles do not lead to the root that was signed at 700 events',
    );
    expect(watch.files.leaves.count).toBe(0);
    expect(await watch.round(RECORDS)).toMatchObject({ kind: 'verified' });
  });
});

describe('what no log may publish', () => {
  it.each([
    ['a checkpoint by another key', RECORDS, stranger, undefined, 'is not signed with the public'],
  ])('%s', async (_, records, by, epoch, problem) => {
    const watch = new Watch(RECORDS.slice(0, 10));
    await watch.round();
    expect(problemOf(await watch.round(records, by, epoch))).toContain(problem);
  });

  it('is a checkpoint of another log, under one of two keys', async () => {
    const other = new NoteSigner('other.example', Buffer.alloc(32, 7));
    const watch = new Watch(RECORDS, [signer.verifierKey, other.verifierKey]);
    await watch.round();
    expect(problemOf(await watch.round(RECORDS, other))).toBe(
      'the checkpoint is of other.example, and the state of orders.example/log',
    );
  });

  it.each([
    ['an order that was placed twice', placed(3n), 'OrderPlaced of order 3 here: order_exists'],
    ['an event of an ended order', shipped(1n), 'OrderShipped of order 1 here: order_cancelled'],
  ])('%s', async (_, event: OrderEvent, problem) => {
    const before = [placed(1n), placed(2n), cancelled(1n), placed(3n)];
    const watch = new Watch(recordsOf(before));
    await watch.round();
    watch.start();
    const round = await watch.round(recordsOf([...before, event]));
    expect(round).toEqual({
      kind: 'refuted',
      finding: { from: 5, problem: `no command leads to ${problem}` },
    });
    // The state stays before the event, so that it is found again.
    expect(await watch.round()).toEqual(round);
    watch.start();
    expect(await watch.round()).toEqual(round);
  });

  it('comes with the checkpoint of the round, if that is signed and was not known', async () => {
    const watch = new Watch(RECORDS.slice(0, 300));
    await watch.round();
    const known = watch.log.files.get('checkpoint') ?? expect.fail();
    const last = watch.log.files;
    watch.log.files = publishedFiles(RECORDS, signer);
    const seen = watch.log.files.get('checkpoint') ?? expect.fail();
    watch.log.files.set('tile/0/001', Buffer.alloc(32 * 256));
    const other = { note: seen.toString(), size: RECORDS.length };
    expect(await watch.round()).toMatchObject({ kind: 'refuted', other });
    expect(await watch.round(RECORDS, stranger)).not.toHaveProperty('other');
    watch.log.files = last.set('checkpoint', known);
    expect(await watch.round()).toMatchObject({ kind: 'verified', size: 300 });
  });

  it('is a record that is no record', async () => {
    const watch = new Watch([...RECORDS.slice(0, 2), '{"position": 3}']);
    expect(await watch.round()).toEqual({
      kind: 'refuted',
      finding: { from: 3, problem: 'its record is not in the one form that it can have' },
    });
  });

  it.each([
    ['at once', undefined],
    ['after an empty log', []],
    ['after the first events', RECORDS.slice(0, 300)],
  ])('is a leaf that does not lead to the signed root, %s', async (_, before) => {
    const watch = new Watch(before);
    if (before !== undefined) await watch.round();
    watch.log.files = publishedFiles(RECORDS, signer);
    watch.log.flip('tile/0/002.p/188', 5);
    expect(problemOf(await watch.round())).toBe('the tiles do not lead to the signed root');
  });

  it('is a hash above the leaves that they do not lead to, at any level', async () => {
    const watch = new Watch(manyRecords(65_800));
    watch.start({ withRecords: false });
    for (const path of ['tile/2/000.p/1', 'tile/1/001.p/1', 'tile/1/000']) {
      watch.log.flip(path, 5);
      expect(problemOf(await watch.round()), path).toContain('has other hashes');
      watch.log.flip(path, 5);
    }
    expect(await watch.round()).toMatchObject({ kind: 'verified', size: 65_800 });
  });
});

/** Draws the possible events of a few orders, after 500 of other ones. */
const histories = fc
  .array(fc.record({ id: fc.integer({ min: 1, max: 60 }), turn: fc.integer({ min: 0, max: 2 }) }), {
    maxLength: 120,
  })
  .map((drawn) => {
    const before = Array.from({ length: 500 }, (_, n) => placed(BigInt(n + 1_000)));
    const seen = new Map<number, number>();
    return drawn.reduce<OrderEvent[]>((events, { id, turn }) => {
      const count = seen.get(id) ?? 0;
      seen.set(id, count + 1);
      if (count === 0) events.push(placed(BigInt(id)));
      else if (count === 1) events.push(turn === 0 ? shipped(BigInt(id)) : cancelled(BigInt(id)));
      return events;
    }, before);
  });
const shares = fc.double({ min: 0, max: 1, noNaN: true });

describe('a monitor', () => {
  it('comes to the same verdict and state in any number of rounds and starts', async () => {
    await fc.assert(
      fc.asyncProperty(
        histories,
        fc.array(fc.tuple(shares, fc.boolean()), { maxLength: 4 }),
        fc.option(shares),
        async (events, stops, flaw) => {
          const all = [...events];
          if (flaw !== null) all.push(shipped(99_999n));
          const records = recordsOf(all);
          const atOnce = new Watch(records);
          const verdict = await atOnce.round();
          const split = new Watch([]);
          const sizes = stops
            .map(([share, restarts]) => [Math.floor(share * events.length), restarts] as const)
            .toSorted(([one], [other]) => one - other);
          for (const [size, restarts] of sizes) {
            expect(await split.round(records.slice(0, size))).toMatchObject({ kind: 'verified' });
            if (restarts) split.start();
          }
          expect(verdict.kind).toBe(flaw === null ? 'verified' : 'refuted');
          const last = await split.round(records);
          expect({ ...last, added: 0 }).toEqual({ ...verdict, added: 0 });
          expect(split.files.state).toBe(atOnce.files.state);
          expect(split.files.leaves.bytes).toEqual(atOnce.files.leaves.bytes);
        },
      ),
      { numRuns: runs(25) },
    );
  });

  it('names a record that is not the one that was hashed', async () => {
    const watch = new Watch(RECORDS.slice(0, 300));
    // Within the text of the first record, behind the two bytes of its length.
    watch.log.flip('tile/entries/000', 50 * 8);
    const problem = 'its record is not the one that was hashed';
    expect(await watch.round()).toMatchObject({ kind: 'refuted', finding: { from: 1, problem } });
  });

  it('notices any bit that was changed in any file', async () => {
    const paths = [...publishedFiles(RECORDS, signer).keys()];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...paths),
        fc.nat(1 << 20),
        fc.integer({ min: 0, max: 400 }),
        async (path, bit, known) => {
          // The files that a monitor of so many events reads.
          const index = Number(/(\d{3})(?:\.p.*)?$/.exec(path)?.[1] ?? 2);
          const watch = new Watch(RECORDS.slice(0, path.includes('tile/1') ? 0 : known));
          await watch.round();
          watch.log.files = publishedFiles(RECORDS, signer);
          watch.log.flip(path, bit);
          const isRead = path.includes('tile/1') || (index + 1) * 256 > known;
          expect((await watch.round()).kind).toBe(isRead ? 'refuted' : 'verified');
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it.each([
    [400, 'the log of 400 events begins with other events than those that were signed at 350'],
    [350, '350 events have two signed roots'],
    [300, '300 events have two signed roots'],
  ])('detects another view of %d events', async (seen, problem) => {
    const watch = new Watch(RECORDS.slice(0, 350));
    await watch.round();
    const view = RECORDS.toSpliced(280, 1, RECORDS[281] as string);
    expect(await watch.round(view.slice(0, seen))).toMatchObject({ kind: 'forked', problem });
  });

  it('detects two views of one log in one round, whatever their sizes', async () => {
    const other = RECORDS.map((record) => record.replace('"commandId":"c-1"', '"commandId":"x"'));
    const sizes = fc.integer({ min: 1, max: 700 });
    await fc.assert(
      fc.asyncProperty(sizes, sizes, fc.nat(700), fc.boolean(), async (known, seen, common, to) => {
        const watch = new Watch(RECORDS.slice(0, known));
        await watch.round();
        if (to) watch.start();
        const view = [...RECORDS.slice(0, common), ...other.slice(common)].slice(0, seen);
        const { state } = watch.files;
        const round = await watch.round(view);
        if (common >= Math.min(known, seen)) {
          expect(round.kind).toBe(seen < known ? 'behind' : 'verified');
          return;
        }
        expect(round).toMatchObject({
          kind: 'forked',
          known: { size: known },
          other: { size: seen, note: `${watch.log.files.get('checkpoint')}` },
        });
        expect(watch.files.state).toBe(state);
        // The state still leads to the view that it is of.
        expect(await watch.round(RECORDS)).toMatchObject({ kind: 'verified', size: 700 });
      }),
      { numRuns: runs(60) },
    );
  });
});

describe('a signed checkpoint whose tree was not shown', () => {
  const view = RECORDS.toSpliced(280, 1, RECORDS[281] as string);

  /** Shows the checkpoint of a tree, and tiles of it that are harmed. */
  function half(watch: Watch, records: readonly string[], harm: (log: MemoryLog) => void): void {
    watch.log.files = publishedFiles(records, signer);
    harm(watch.log);
  }
  const withoutTiles = ({ files }: MemoryLog) => {
    for (const path of files.keys()) if (path !== 'checkpoint') files.delete(path);
  };
  const HARMS: readonly (readonly [string, (log: MemoryLog) => void])[] = [
    ['the tiles are withheld', withoutTiles],
    ['an inner tile is withheld', ({ files }) => void files.delete('tile/1/000.p/1')],
    ['a tile is unreadable', ({ files }) => void files.set('tile/0/001.p/144', Buffer.of(1))],
  ];

  describe.each(HARMS)('as %s', (_, harm) => {
    it.each([
      ['its size', [400], '400 events have two signed roots'],
      ['a smaller and a larger one', [390, 410], 'the log of 410 events begins with other events'],
    ])('proves a fork with another tree of %s, after any start', async (_at, sizes, problem) => {
      for (const known of [undefined, 350]) {
        const watch = new Watch(RECORDS.slice(0, known));
        if (known !== undefined) await watch.round();
        half(watch, view.slice(0, 400), harm);
        const note = `${watch.log.files.get('checkpoint')}`;
        await watch.round().catch((error) => expect(error).toBeInstanceOf(LogAway));
        watch.start();
        const rounds: Round[] = [];
        for (const size of sizes) rounds.push(await watch.round(RECORDS.slice(0, size)));
        const fork = rounds.at(-1);
        expect(fork).toMatchObject({ kind: 'forked', known: { note, size: 400 } });
        expect(fork).toMatchObject({ problem: expect.stringContaining(problem) });
        watch.start();
        expect(await watch.round()).toEqual(fork);
      }
    });
  });

  it('alerts on a full disk, too, where a checkpoint cannot be kept', async () => {
    const watch = new Watch(RECORDS.slice(0, 350));
    await watch.round();
    watch.files.isDiskFull = true;
    half(watch, RECORDS.slice(0, 400), withoutTiles);
    await expect(watch.round()).rejects.toThrow('ENOSPC');
    half(watch, RECORDS, ({ files }) => void files.set('tile/0/001', Buffer.alloc(256 * 32)));
    expect(problemOf(await watch.round())).toBe(
      'tile/0/001 has other hashes than its leaves lead to',
    );
  });

  it('is no fork beside the tree that contains it, and is forgotten then', async () => {
    const watch = new Watch(RECORDS.slice(0, 350));
    await watch.round();
    for (const size of [360, 400, 400]) {
      half(watch, RECORDS.slice(0, size), withoutTiles);
      await expect(watch.round()).rejects.toThrow(LogAway);
    }
    expect(JSON.parse(watch.files.unproven ?? '').checkpoints).toHaveLength(2);
    watch.start();
    expect(await watch.round(RECORDS)).toMatchObject({ kind: 'verified', size: 700 });
    expect(JSON.parse(watch.files.unproven ?? '').checkpoints).toEqual([]);
  });

  it('is kept in a file that can be read again, however long the lines below its signature', async () => {
    const watch = new Watch(RECORDS.slice(0, 350));
    await watch.round();
    const line = `— witness.example ${Buffer.alloc(180_000).toString('base64')}\n`;
    for (let size = 400; size < 408; size += 1) {
      half(watch, RECORDS.slice(0, size), withoutTiles);
      const note = `${watch.log.files.get('checkpoint')}`.replace('\n\n', `\n\n${line}`);
      watch.log.files.set('checkpoint', Buffer.from(note));
      await expect(watch.round()).rejects.toThrow(LogAway);
    }
    expect(watch.files.unproven?.length).toBeLessThan(1 << 20);
    expect(JSON.parse(watch.files.unproven ?? '').checkpoints).toHaveLength(8);
    watch.start();
    expect(await watch.round(RECORDS.slice(0, 399))).toMatchObject({ kind: 'behind', known: 407 });
  });

  it('makes an earlier state of each tree before it, at whatever size that is verified', async () => {
    const watch = new Watch(RECORDS.slice(0, 350));
    await watch.round();
    half(watch, RECORDS.slice(0, 400), withoutTiles);
    await expect(watch.round()).rejects.toThrow(LogAway);
    watch.start();
    for (const size of [350, 380, 399]) {
      const round = await watch.round(RECORDS.slice(0, size));
      expect(round).toEqual({ kind: 'behind', size, known: 400 });
    }
    expect(await watch.round(RECORDS.slice(0, 400))).toMatchObject({ kind: 'verified', added: 1 });
  });

  it('is compared with the leaves of the log, and not with damaged ones', async () => {
    const watch = new Watch(RECORDS.slice(0, 350));
    await watch.round();
    half(watch, RECORDS.slice(0, 400), withoutTiles);
    await expect(watch.round()).rejects.toThrow(LogAway);
    watch.files.leaves.bytes.fill(1, 640, 650);
    expect(await watch.round(RECORDS)).toMatchObject({ kind: 'verified', size: 700 });
  });

  it('proves a fork with another one that was not shown', async () => {
    const watch = new Watch(RECORDS.slice(0, 350));
    for (const records of [RECORDS.slice(0, 400), view.slice(0, 410)]) {
      half(watch, records, withoutTiles);
      await expect(watch.round()).rejects.toThrow(LogAway);
    }
    half(watch, view.slice(0, 400), withoutTiles);
    expect(await watch.round()).toMatchObject({ kind: 'forked' });
  });

  it('of a later epoch is compared there, and one of the epoch before no more', async () => {
    const epoch = `1.${'a'.repeat(32)}`;
    const watch = new Watch(RECORDS.slice(0, 350));
    await watch.round();
    half(watch, RECORDS.slice(0, 380), withoutTiles);
    await expect(watch.round()).rejects.toThrow(LogAway);
    watch.log.files = publishedFiles(view.slice(0, 400), signer, epoch);
    withoutTiles(watch.log);
    await expect(watch.round()).rejects.toThrow(LogAway);
    watch.start({ acceptedEpoch: epoch });
    const later = RECORDS.slice(0, 410);
    expect(await watch.round(later, signer, epoch)).toMatchObject({ kind: 'forked' });
    expect(await watch.round(later, signer, epoch)).toMatchObject({ kind: 'forked' });
  });

  it('of a later epoch is kept as long as the log is in the one before, which is dropped with it', async () => {
    const epoch = `1.${'a'.repeat(32)}`;
    const watch = new Watch(RECORDS.slice(0, 350));
    await watch.round();
    half(watch, RECORDS.slice(0, 380), withoutTiles);
    await expect(watch.round()).rejects.toThrow(LogAway);
    watch.log.files = publishedFiles(RECORDS.slice(0, 400), signer, epoch);
    withoutTiles(watch.log);
    await expect(watch.round()).rejects.toThrow(LogAway);
    const kept = () => JSON.parse(watch.files.unproven ?? '').checkpoints.length;
    expect(kept()).toBe(2);
    expect(await watch.round(RECORDS.slice(0, 390))).toMatchObject({ kind: 'verified' });
    expect(kept()).toBe(1);
    half(watch, RECORDS.slice(0, 395), withoutTiles);
    await expect(watch.round()).rejects.toThrow(LogAway);
    watch.start({ acceptedEpoch: epoch });
    expect(await watch.round(RECORDS.slice(0, 410), signer, epoch)).toMatchObject({
      kind: 'verified',
    });
    expect(kept()).toBe(0);
  });

  it.each([
    ['{', 'it is not JSON'],
    ['{"format":"store-orders/monitor-unproven/v1"}', 'its format is another'],
    [NONE_UNPROVEN.replace('[]', '[5]'), 'a checkpoint in it: the note has no signatures'],
  ])('is not read from %s', (text, reason) => {
    expect(readUnproven(text, [signer.verifierKey])).toEqual({ ok: false, reason });
  });
});

describe('the state', () => {
  it('is read as it was written, with one of the keys', async () => {
    const watch = new Watch();
    await watch.round();
    const text = watch.files.state as string;
    const keys = [stranger.verifierKey, signer.verifierKey];
    const read = readState(text, keys);
    expect(read.ok && writeState(read.value)).toBe(text);
    expect(readState(text, [stranger.verifierKey])).toMatchObject({
      reason: 'its checkpoint: the note is not signed with the public key',
    });
  });

  it.each([
    ['{', 'it is not the state of a monitor'],
    ['null', 'it is not the state of a monitor'],
    ['{"edge":"AAAAAAAAAAA="}', 'its format is another'],
    ['{"edge":"AAAAAAAAAAA=","format":"store-orders/monitor/v1"}', 'its format is another'],
  ])('is not read from %s', (text, reason) => {
    expect(readState(text, [signer.verifierKey])).toEqual({ ok: false, reason });
  });

  it.each([
    null,
    5,
    { events: -1, at: '', digest: '' },
    { events: 0.5, at: '', digest: '' },
    { events: 0, at: 'yesterday', digest: '' },
    { events: 0, at: '', digest: 5 },
  ])('is not read with the checked events %j', async (checked) => {
    const watch = new Watch();
    await watch.round();
    const text = JSON.stringify({ ...JSON.parse(watch.files.state as string), checked });
    const reason = 'its format is another';
    expect(readState(text, [signer.verifierKey])).toEqual({ ok: false, reason });
  });

  it('is refused with the edge of another tree', async () => {
    const [one, other] = [new Watch(RECORDS.slice(0, 5)), new Watch(RECORDS.slice(0, 6))];
    await one.round();
    await other.round();
    const [a, b] = [one, other].map(({ files }) => JSON.parse(files.state as string));
    const same = recordsOf([placed(7n), placed(8n), placed(9n), placed(10n), placed(11n)]);
    const third = new Watch(same);
    await third.round();
    const c = JSON.parse(third.files.state as string);
    for (const { edge } of [b, c]) {
      expect(readState(JSON.stringify({ ...a, edge }), [signer.verifierKey])).toEqual({
        ok: false,
        reason: 'its edge is not that of its checkpoint',
      });
    }
  });

  it.each([
    ['before a start', 10],
    ['before a start', 300],
    ['between two rounds', 256],
    ['between two rounds', 349],
  ])('has a leaf that was damaged %s read again, and accuses nobody: %d', async (when, leaf) => {
    for (const size of [350, 400]) {
      const watch = new Watch(RECORDS.slice(0, 350));
      await watch.round();
      const { leaves } = watch.files;
      const right = Buffer.from(leaves.bytes);
      leaves.bytes[leaf * 32 + 3] = (leaves.bytes[leaf * 32 + 3] as number) ^ 1;
      if (when === 'before a start') watch.start();
      expect(await watch.round(RECORDS.slice(0, size))).toEqual({
        kind: 'verified',
        size,
        added: size - 350,
        checked: size,
      });
      // Nothing of the tile is compared while the log has not grown.
      const isDue = size > 350 || when === 'before a start';
      expect(leaves.read(0, 350).equals(right)).toBe(isDue);
      expect(await watch.round(RECORDS)).toMatchObject({ kind: 'verified', size: 700 });
      expect(leaves.read(0, 350)).toEqual(right);
    }
  });

  it.each(['damaged', 'lost'])(
    'that has %s leaves acquits neither a wrong tile nor another view',
    async (how) => {
      const watch = new Watch(RECORDS.slice(0, 350));
      await watch.round();
      const { leaves } = watch.files;
      if (how === 'lost') leaves.write(0, Buffer.alloc(0));
      else leaves.bytes[300 * 32] = (leaves.bytes[300 * 32] as number) ^ 1;
      watch.log.files = publishedFiles(RECORDS, signer);
      watch.log.flip('tile/0/001', 77);
      expect((await watch.round()).kind).toBe('refuted');
      const view = RECORDS.toSpliced(280, 1, RECORDS[281] as string);
      const problem = /^the log of 400 events begins with other events than .* signed at 350$/;
      for (const _again of [1, 2]) {
        expect(await watch.round(view.slice(0, 400))).toMatchObject({
          kind: 'forked',
          problem: expect.stringMatching(problem),
        });
      }
      expect(await watch.round(RECORDS)).toMatchObject({ kind: 'verified', size: 700 });
      expect(leaves.count).toBe(700);
    },
  );

  it('begins the rules again if the rows of the orders were lost or changed', async () => {
    for (const harm of ['lost', 'changed'] as const) {
      const watch = new Watch();
      await watch.round();
      const { orders } = watch.files;
      if (harm === 'lost') orders.write(0, Buffer.alloc(0));
      else orders.bytes.fill(1, 640, 650);
      watch.start();
      const before = watch.log.asked.length;
      // The same size is checked from the first record on, because nothing is known of them.
      expect(await watch.round()).toEqual({ kind: 'verified', size: 700, added: 0, checked: 700 });
      expect(watch.log.asked.length - before).toBe(4);
      expect(orders.count).toBe(700);
    }
  });
});

describe('a log that was cut', () => {
  const [first, second, third] = [1, 2, 3].map((number) => `${number}.${'a'.repeat(32)}`) as [
    string,
    string,
    string,
  ];
  /** The log of another history behind its first events. */
  const cutAt = (kept: number, added: number) => [
    ...RECORDS.slice(0, kept),
    ...recordsOf([
      ...Array.from({ length: kept }, (_, n) => placed(BigInt(n + 1))),
      ...Array.from({ length: added }, (_, n) => placed(BigInt(n + 9_001))),
    ]).slice(kept),
  ];

  it('is reported with what it has kept, and followed once that is accepted, wherever it was cut', async () => {
    const size = fc.nat({ max: 600 });
    await fc.assert(
      fc.asyncProperty(size, size, size, async (known, kept, added) => {
        fc.pre(kept <= known && known > 0);
        const watch = new Watch(RECORDS.slice(0, known));
        await watch.round();
        const { state } = watch.files;
        const records = cutAt(kept, added);
        const cut = await watch.round(records, signer, first);
        const both = { known: { size: known }, other: { size: records.length } };
        expect(cut).toMatchObject({ kind: 'cut', epoch: first, kept, ...both });
        expect(watch.files.state).toBe(state);
        watch.start({ acceptedEpoch: second });
        expect(await watch.round()).toStrictEqual(cut);
        watch.start({ acceptedEpoch: first });
        expect(await watch.round()).toMatchObject({
          kind: 'verified',
          size: records.length,
          added,
          checked: records.length,
          cut: { epoch: first, kept, ...both },
        });
        watch.start();
        const more = cutAt(kept, added + 3);
        const next = await watch.round(more, signer, first);
        expect(next).toEqual({
          kind: 'verified',
          size: more.length,
          added: 3,
          checked: more.length,
        });
      }),
      { numRuns: runs(25) },
    );
  });

  it('is followed by its hashes alone', async () => {
    const watch = new Watch(RECORDS.slice(0, 20));
    watch.start({ withRecords: false });
    await watch.round();
    watch.start({ withRecords: false, acceptedEpoch: first });
    const round = await watch.round(cutAt(10, 1), signer, first);
    expect(round).toMatchObject({ kind: 'verified', size: 11, added: 1, cut: { kept: 10 } });
  });

  it('must be right in itself', async () => {
    const watch = new Watch();
    await watch.round();
    watch.start({ acceptedEpoch: first });
    watch.log.files = publishedFiles(cutAt(300, 300), signer, first);
    watch.log.flip('tile/0/001', 77);
    expect(problemOf(await watch.round())).toContain('has other hashes than its leaves lead to');
    const forged = publishedFiles(cutAt(300, 200), signer, first);
    const root = publishedFiles(cutAt(300, 199), signer, first);
    const [, , line] = `${root.get('checkpoint')}`.split('\n');
    forged.set(
      'checkpoint',
      Buffer.from(signer.signCheckpoint(500, Buffer.from(line ?? '', 'base64'), first)),
    );
    watch.log.files = forged;
    expect(problemOf(await watch.round())).toBe('the tiles do not lead to the signed root');
  });

  it('whose records break a rule is refuted, and stays accepted', async () => {
    const watch = new Watch(recordsOf([placed(1n), placed(2n)]));
    await watch.round();
    watch.start({ acceptedEpoch: first });
    const twice = recordsOf([placed(1n), placed(1n)]);
    expect(problemOf(await watch.round(twice, signer, first))).toContain('order_exists');
    watch.start();
    expect(problemOf(await watch.round(twice, signer, first))).toContain('order_exists');
  });

  it.each([
    ['an earlier epoch', undefined, '0'],
    ['another epoch of the same number', `2.${'b'.repeat(32)}`, `2.${'b'.repeat(32)}`],
  ])('does not go on in %s', async (_, epoch, named) => {
    const watch = new Watch(RECORDS);
    await watch.round(RECORDS, signer, second);
    watch.start({ acceptedEpoch: third });
    expect(problemOf(await watch.round(RECORDS, signer, epoch))).toBe(
      `the checkpoint is of epoch ${named}, and the state of epoch ${second}`,
    );
  });

  it('can still be accepted after an end in between, without knowing what was kept', async () => {
    const watch = new Watch();
    await watch.round();
    const records = cutAt(300, 10);
    watch.start({ acceptedEpoch: first });
    const { save } = watch.files;
    watch.files.save = () => Promise.reject(new Error('the power is off'));
    await expect(watch.round(records, signer, first)).rejects.toThrow('the power is off');
    watch.files.save = save;
    watch.start({ acceptedEpoch: first });
    const round = await watch.round();
    expect(round).toMatchObject({ kind: 'verified', size: 310, added: 310, checked: 310 });
    expect(round).toMatchObject({ cut: { kept: undefined, known: { size: 700 } } });
  });

  it('has kept an unknown number of events if the known hashes were changed', async () => {
    const watch = new Watch();
    await watch.round();
    const { leaves } = watch.files;
    const changed = leaves.read(0, 700);
    changed[32 * 500] = (changed[32 * 500] as number) ^ 1;
    leaves.write(0, changed);
    expect(await watch.round(cutAt(300, 10), signer, first)).toMatchObject({ kept: undefined });
  });
});
