import { describe, expect, it } from 'vitest';
import type { ExpectedHead } from '../../../../../src/app/audit/proofs/trail-check.ts';
import { RecordTree } from '../../../../../src/app/audit/proofs/verifier.ts';
import { verifyStore } from '../../../../../src/app/audit/trail/verify-store.ts';
import { Epochs } from '../../../../../src/app/log/epochs.ts';
import { recordOf } from '../../../../../src/app/log/recorded-event.ts';
import {
  DamagedEvidence,
  type Evidence,
  type TreeAside,
} from '../../../../../src/app/ports/evidence.ts';
import { decodeStrictly, encode } from '../../../../../src/infra/events/codec.ts';
import { placed, recorded } from '../../../../support/events.ts';
import { MemoryTree } from '../../../../support/memory-tree.ts';

const EVENTS = recorded(...[1n, 2n, 3n, 4n].map((id) => placed(id))).map(encode);
const [CHUNK, NEXT] = [EVENTS.slice(0, 2), EVENTS.slice(2)];

function rootOf(size: number): Uint8Array {
  const tree = new RecordTree();
  for (const event of EVENTS.slice(0, size)) tree.add(recordOf(event));
  return tree.head().root;
}

const note = (size: number, root = rootOf(size)): ExpectedHead => {
  return { name: `note-${size}`, size, root };
};

/** Told from the root that is made here, so that it shows whose word was taken. */
const ROOT_ASIDE = Buffer.alloc(32, 7);

/** Checks a store of four events, with these differences, whose tree is made aside. */
async function check(
  differences: Partial<Evidence> = {},
  heads: readonly ExpectedHead[] = [],
  aside: Partial<TreeAside> | 'none' = {},
) {
  const passes: number[] = [];
  const asked: (readonly number[])[] = [];
  const evidence: Evidence = {
    storeId: 'x',
    epochs: new Epochs('x'),
    decode: decodeStrictly,
    last: 4,
    events: () => [CHUNK, NEXT],
    tree: undefined,
    treeAside: async (sizes) => {
      asked.push(sizes);
      const known = sizes.filter((size) => size <= 4).map((size) => [size, rootOf(size)] as const);
      if (aside === 'none') return undefined;
      return { fits: true, root: ROOT_ASIDE, roots: new Map(known), ...aside };
    },
    acknowledged: undefined,
    flaws: [],
    close: () => {},
    ...differences,
  };
  const checked = await verifyStore(evidence, heads, async (done) => void passes.push(done));
  return { ...checked, passes, asked };
}

const FOUR = { size: 4, root: rootOf(4) };

describe('A tree that was made aside', () => {
  it('replaces the tree in this thread if everything is right', async () => {
    const silent = { ...note(3), root: undefined };
    expect(await check({ acknowledged: note(4) }, [note(0), note(2), silent])).toEqual({
      size: 4,
      root: ROOT_ASIDE,
      findings: [],
      passes: [2, 4],
      asked: [[0, 2, 3, 4]],
    });
  });

  it.each<[string, Partial<TreeAside> | 'none', Partial<Evidence>]>([
    ['it could not be made', 'none', {}],
    ['it is not of these events', { fits: false }, {}],
    ['it lacks a size', { roots: new Map() }, {}],
    ['it is of more events', {}, { last: 5 }],
  ])('does not count where %s: then one is made here', async (_, aside, differences) => {
    expect(await check(differences, [note(2)], aside)).toEqual({
      ...FOUR,
      findings: [],
      passes: [2, 4, 2, 4],
      asked: [[2]],
    });
  });

  it.each([
    ['has another root', [note(1), note(2, Buffer.alloc(32))], { from: 2, to: 2 }],
    ['is of more events', [note(1), note(9, Buffer.alloc(32))], { from: 5, to: 9 }],
  ])('does not tell what is wrong where a note %s', async (_, heads, finding) => {
    const { findings, passes } = await check({}, heads);
    expect(findings).toMatchObject([finding]);
    expect(passes).toEqual([2, 4, 2, 4]);
  });

  it('is not built if a flaw was found already', async () => {
    expect(await check({ flaws: ['a flaw'] })).toEqual({
      ...FOUR,
      findings: [{ problem: 'a flaw' }],
      passes: [2, 4],
      asked: [],
    });
  });

  it('does not count where an event breaks a rule, behind which nothing is looked at', async () => {
    const events = () => [CHUNK, CHUNK, NEXT];
    const { size, findings, passes } = await check({ events }, [note(9, Buffer.alloc(32))]);
    expect({ size, findings, passes }).toEqual({
      size: 2,
      findings: [{ from: 3, problem: 'position 1 stands in its place' }],
      passes: [2, 2],
    });
  });

  it('does not count where the events cannot all be read', async () => {
    const { size, findings, passes } = await check({
      *events() {
        yield CHUNK;
        throw new DamagedEvidence('torn');
      },
    });
    expect({ size, findings, passes }).toEqual({
      size: 2,
      findings: [{ from: 3, problem: 'it cannot be read: torn' }],
      passes: [2, 2],
    });
  });

  it('does not count where something behind the last event cannot be read', async () => {
    const { root, findings, passes } = await check({
      *events() {
        yield* [CHUNK, NEXT];
        throw new DamagedEvidence('torn');
      },
    });
    expect({ root, findings, passes }).toEqual({
      root: rootOf(4),
      findings: [{ from: 5, problem: 'it cannot be read: torn' }],
      passes: [2, 4, 2, 4],
    });
  });

  it('is built here where none is made aside, and compared with the stored one', async () => {
    const tree = new MemoryTree(EVENTS.map(recordOf));
    const stored = { edge: tree.frontier.pack(), nodes: 0, nodeAt: () => undefined };
    const { root, findings } = await check({ tree: stored }, [], 'none');
    expect({ root, findings }).toEqual({ root: rootOf(4), findings: [] });
    const other = { ...stored, edge: new MemoryTree(['another']).frontier.pack() };
    expect((await check({ tree: other }, [], 'none')).findings).not.toEqual([]);
  });
});
