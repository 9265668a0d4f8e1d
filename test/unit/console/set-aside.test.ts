import { describe, expect, it } from 'vitest';
import { NoteSigner } from '../../../src/app/audit/proving/checkpoint.ts';
import { Prover } from '../../../src/app/audit/proving/prover.ts';
import { Epochs } from '../../../src/app/log/epochs.ts';
import { pairsOf } from '../../../src/console/state/checkpoint-order.ts';
import { textsOf } from '../../../src/console/state/given.ts';
import type { Material } from '../../../src/console/state/material.ts';
import { isVerified } from '../../../src/console/state/proof-steps.ts';
import { sortedBy } from '../../../src/console/state/set-aside.ts';
import { successionSteps } from '../../../src/console/state/succession-steps.ts';
import { MemoryTrail } from '../../../src/infra/memory/trail.ts';
import { NOON } from '../../support/events.ts';
import { ProofLog } from '../../support/proof-log.ts';

const log = new ProofLog(7);
const stranger = NoteSigner.generate('orders.example/log');
const signed = (size: number, by = log.signer): Material => {
  return { kind: 'checkpoint', text: new ProofLog(size).checkpoint(by), name: `${size}.txt` };
};

/** The statements of a cut at a position, signed by a log. */
function breaksBy(signer: NoteSigner, position: number): Material {
  const root = Buffer.alloc(32, position).toString('base64');
  const about = { at: NOON, reason: 'copy_continued', positionsUpTo: null, idsUpTo: '9' } as const;
  const statement = new Epochs('s').statementOf({ ...about, position, root, known: null });
  const prover = new Prover(new MemoryTrail(), signer, new Epochs('s', [statement]));
  return { kind: 'breaks', notes: prover.breaks() };
}

async function proofOf(from: number, to: number): Promise<Material> {
  const hashes = await new ProofLog(to).tree.consistency(from);
  const proof = hashes.map((hash) => Buffer.from(hash).toString('base64'));
  return { kind: 'consistency', from, to, proof };
}

/** The verdicts on all pairs of checkpoints, by their sizes. */
function verdictsOn(given: readonly Material[]) {
  const { own } = sortedBy(log.vkey, given);
  const pairs = pairsOf(textsOf(own, 'checkpoint'), own).map((pair) => {
    const sizes = pair.map((note) => note.split('\n')[1]).join('-');
    return [sizes, isVerified(successionSteps(pair, log.vkey, own))] as const;
  });
  return Object.fromEntries(pairs);
}

describe('What a key has not signed', () => {
  it('is refused for itself, and stands between no two checkpoints of the log', async () => {
    const genuine = [signed(4), signed(6), await proofOf(4, 6)];
    expect(verdictsOn(genuine)).toEqual({ '4-6': true });
    const forged = log.checkpoint().replace('\n7\n', '\n5\n');
    const others: readonly Material[] = [
      signed(5, stranger),
      { kind: 'checkpoint', text: forged },
      breaksBy(stranger, 5),
      { kind: 'breaks', notes: ['no note'] },
    ];
    for (const given of [
      [...others, ...genuine],
      [...genuine, ...others],
    ]) {
      expect(verdictsOn(given)).toEqual({ '4-6': true });
      const refused = sortedBy(log.vkey, given).others;
      expect(refused.map(({ material }) => material)).toEqual(others);
      for (const { steps } of refused) {
        expect(steps).toEqual([
          { outcome: 'failed', what: expect.any(String), reason: expect.any(String) },
        ]);
      }
    }
  });

  it('leaves the statements of the log beside it in use', () => {
    const own = breaksBy(log.signer, 5);
    const other = breaksBy(stranger, 5);
    if (own.kind !== 'breaks' || other.kind !== 'breaks') expect.fail();
    const mixed: Material = { kind: 'breaks', notes: [...other.notes, ...own.notes] };
    const sorted = sortedBy(log.vkey, [mixed]);
    expect(sorted.own).toEqual([own]);
    expect(sorted.others).toMatchObject([
      { material: mixed, steps: [{ outcome: 'failed' }, { outcome: 'ok' }] },
    ]);
    expect(sortedBy(log.vkey, [own])).toEqual({ own: [own], others: [] });
  });

  it('depends on the key that is typed', () => {
    const [mine, theirs] = [signed(4), signed(4, stranger)];
    const policy: Material = { kind: 'policy', text: 'quorum none\n' };
    for (const [key, own] of [
      [log.vkey, mine],
      [stranger.verifierKey, theirs],
      [log.vkey, mine],
    ] as const) {
      expect(sortedBy(key, [theirs, policy, mine]).own).toEqual(
        [theirs, policy, mine].filter((each) => each === own || each === policy),
      );
    }
  });

  it('leaves the same material, however often all is sorted', () => {
    const own = breaksBy(log.signer, 5);
    if (own.kind !== 'breaks') expect.fail();
    const mixed: Material = { ...own, notes: ['no note', ...own.notes] };
    const [first] = sortedBy(log.vkey, [mixed]).own;
    expect(sortedBy(log.vkey, [mixed, signed(4)]).own[0]).toBe(first);
  });
});

it('Any two checkpoints of a log are compared where a proof leads from one to the other', async () => {
  const three = [signed(3), signed(5), signed(7)];
  expect(verdictsOn(three)).toEqual({ '3-5': false, '5-7': false });
  const from3 = await proofOf(3, 7);
  expect(verdictsOn([...three, from3])).toEqual({ '3-5': false, '3-7': true, '5-7': false });
  const false3: Material = { ...from3, from: 3, to: 7, proof: [] } as Material;
  expect(verdictsOn([...three, false3])).toEqual({ '3-5': false, '3-7': false, '5-7': false });
});
