import { describe, expect, it } from 'vitest';
import { NoteSigner } from '../../../../../src/app/audit/proving/checkpoint.ts';
import { Prover } from '../../../../../src/app/audit/proving/prover.ts';
import { CheckedTrail } from '../../../../../src/app/audit/trail/checked-trail.ts';
import type { StoredFields } from '../../../../../src/app/log/recorded-event.ts';
import { DamagedStore } from '../../../../../src/app/ports/store.ts';
import { encode } from '../../../../../src/infra/events/codec.ts';
import { MemoryTrail } from '../../../../../src/infra/memory/trail.ts';
import { placed, recorded, TRACEPARENT } from '../../../../support/events.ts';

/** A trail in which things change that never should. */
class DamagedTrail extends MemoryTrail {
  /** Events that are read as others, by their positions. */
  readonly changed = new Map<number, Partial<StoredFields>>();
  readonly changedNodes = new Set<string>();
  isShort = false;
  reads = 0;

  override async stored(after: number, limit: number) {
    const events = await super.stored(after, limit);
    return events.map((event) => ({ ...event, ...this.changed.get(event.position) }));
  }

  override leaves(from: number, count: number): Buffer[] {
    this.reads += 1;
    const leaves = super.leaves(from, this.isShort ? count - 1 : count);
    return leaves.map((leaf, n) => (this.changed.has(from + n + 1) ? Buffer.alloc(32) : leaf));
  }

  override nodes(height: number, from: number, count: number): Buffer[] {
    const nodes = super.nodes(height, from, count);
    return nodes.map((node, n) =>
      this.changedNodes.has(`${height} ${from + n}`) ? Buffer.alloc(32, 1) : node,
    );
  }
}

const EVENTS = recorded(...Array.from({ length: 1_000 }, (_, n) => placed(BigInt(n + 1)))).map(
  encode,
);

function given(count = 700) {
  const trail = new DamagedTrail();
  for (const event of EVENTS.slice(0, count)) trail.append(event);
  const checked = new CheckedTrail(trail);
  return { trail, checked, prover: new Prover(checked, NoteSigner.generate('test')) };
}

describe('a trail that checks what it reads', () => {
  it('returns every event of an intact log', async () => {
    const { checked } = given();
    expect(await checked.stored(0, 1_000)).toEqual(EVENTS.slice(0, 700));
    expect(await checked.stored(511, 2)).toEqual(EVENTS.slice(511, 513));
    expect(await checked.stored(700, 5)).toEqual([]);
  });

  it('passes on the traces of the underlying trail, which no tree covers', async () => {
    const trail = new MemoryTrail();
    for (const event of EVENTS.slice(0, 3)) {
      trail.append(event, event.position === 2 ? TRACEPARENT : undefined);
    }
    const traces = await new CheckedTrail(trail).traces([1, 2, 3]);
    expect(traces).toStrictEqual(new Map([[2, TRACEPARENT]]));
  });

  it('reads each tile once, and the last one when it has grown', async () => {
    const { trail, checked } = given(600);
    for (const after of [0, 5, 255, 10, 599]) await checked.stored(after, 1);
    const { reads } = trail;
    for (const after of [0, 5, 255, 10, 599]) await checked.stored(after, 1);
    expect(trail.reads).toBe(reads);
    for (const event of EVENTS.slice(600, 800)) trail.append(event);
    expect(await checked.stored(598, 150)).toEqual(EVENTS.slice(598, 748));
    expect(trail.reads).toBeGreaterThan(reads);
  });

  it('drops the oldest tile when there are too many', async () => {
    const trail = new DamagedTrail();
    const count = 256 * 70;
    for (const event of recorded(...Array.from({ length: count }, (_, n) => placed(BigInt(n))))) {
      trail.append(encode(event));
    }
    const checked = new CheckedTrail(trail);
    await checked.stored(0, count);
    const { reads } = trail;
    await checked.stored(0, 1);
    expect(trail.reads).toBeGreaterThan(reads);
  });

  it.each([1, 256, 257, 512, 513, 700])(
    'refuses the event at %i where it was changed',
    async (at) => {
      const { trail, checked } = given();
      trail.changed.set(at, { data: '{"orderId":"9"}' });
      await expect(checked.stored(at - 1, 1)).rejects.toThrow(DamagedStore);
      await expect(checked.stored(0, 700)).rejects.toThrow('not what was recorded');
    },
  );

  it('reads the nodes of each tile once, and again when it has grown', async () => {
    const { trail, checked } = given();
    let reads = 0;
    let missing = 0;
    trail.nodes = (height, from, count) => {
      reads += 1;
      const found = count - missing;
      return Array.from({ length: found }, (_, n) => Buffer.alloc(32, `${height} ${from + n};`));
    };
    const read = (height: number, tile: number, count = 256) =>
      checked.nodes(height, tile * 256, count);
    const first = await read(8, 0);
    expect(await read(8, 0)).toStrictEqual(first);
    expect(await read(8, 0, 5)).toStrictEqual(first.slice(0, 5));
    expect(await read(8, 1)).not.toStrictEqual(first);
    expect(await read(16, 0)).not.toStrictEqual(first);
    expect(reads).toBe(3);
    for (const count of [3, 3, 4, 2]) expect(await read(8, 2, count)).toHaveLength(count);
    expect(reads).toBe(5);
    missing = 1;
    for (const due of [9, 9]) expect(await read(8, 3, due)).toHaveLength(8);
    missing = 0;
    expect(await read(8, 3, 9)).toHaveLength(9);
    expect(reads).toBe(8);
    // With 64 tiles, the first is dropped.
    for (let tile = 4; tile < 64; tile++) await read(8, tile);
    await read(8, 1);
    expect(reads).toBe(68);
    await read(8, 0);
    expect(reads).toBe(69);
  });

  it('refuses an event that was changed after its tile was read, and names its position', async () => {
    const { trail, checked } = given();
    await checked.stored(0, 700);
    trail.changed.set(300, { version: 2 });
    await expect(checked.stored(299, 1)).rejects.toThrow('the event at position 300 is not what');
  });

  it('refuses a whole tile that differs from the tree', async () => {
    const { trail, checked } = given();
    trail.changed.set(100, { version: 2 });
    await expect(checked.stored(0, 1)).rejects.toThrow('events 1 to 256 are not what was recorded');
  });

  it.each([
    ['a node of the tree', (trail: DamagedTrail) => trail.changedNodes.add('8 1')],
    ['an event of the last tile', (trail: DamagedTrail) => trail.changed.set(650, { version: 2 })],
  ])('names no event of a tile that is right if %s was changed', async (_, change) => {
    const { trail, checked } = given();
    change(trail);
    await expect(checked.stored(0, 1)).rejects.toThrow(
      'the tree of the log is not what was recorded',
    );
    trail.changedNodes.clear();
    if (trail.changed.size === 0) return;
    await expect(checked.stored(649, 1)).rejects.toThrow('events 513 to 700 are not what was');
  });

  it('refuses events that cannot be proved because nodes of the tree are missing', async () => {
    const { trail, checked } = given();
    trail.isShort = true;
    await expect(checked.stored(600, 1)).rejects.toThrow(
      /^the tree of the log: \d+ hashes are due/,
    );
  });

  it('passes on other errors unchanged', async () => {
    const { trail, checked } = given();
    trail.nodes = () => {
      throw new TypeError('closed');
    };
    await expect(checked.stored(0, 1)).rejects.toThrow(TypeError);
  });

  it('proves nothing with a tree that was changed', async () => {
    const intact = given().prover;
    await intact.inclusion(1, 600);
    await intact.consistency(300, 600);
    const { trail, prover } = given();
    trail.changedNodes.add('8 1');
    await expect(prover.inclusion(1, 600)).rejects.toThrow(DamagedStore);
    await expect(prover.inclusion(1, 700)).rejects.toThrow(DamagedStore);
    await expect(prover.consistency(256, 600)).rejects.toThrow(DamagedStore);
    await expect(prover.receipt(1)).rejects.toThrow(DamagedStore);
  });

  it('proves nothing of an event that is missing', async () => {
    const { prover, trail } = given();
    trail.stored = async () => [];
    await expect(prover.receipt(1)).rejects.toThrow('the event at position 1 is missing');
  });
});
