import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NoteSigner } from '../../../src/app/audit/proving/checkpoint.ts';
import { Prover } from '../../../src/app/audit/proving/prover.ts';
import { consistencyJson, tlogProofOf } from '../../../src/app/audit/proving/receipt.ts';
import { Cosigner } from '../../../src/app/audit/witness/cosigner.ts';
import { Epochs } from '../../../src/app/log/epochs.ts';
import { consistencyProof, treeRoot } from '../../../src/app/log/merkle-proofs.ts';
import { isExport, type Material, readMaterial } from '../../../src/console/state/material.ts';
import {
  headWords,
  isVerified,
  receiptSteps,
  witnessedSteps,
} from '../../../src/console/state/proof-steps.ts';
import { successionSteps } from '../../../src/console/state/succession-steps.ts';
import { encode } from '../../../src/infra/events/codec.ts';
import { MemoryTrail } from '../../../src/infra/memory/trail.ts';
import { NOON, placed, recorded } from '../../support/events.ts';
import { ProofLog, recordAt } from '../../support/proof-log.ts';
import {
  anyRecord,
  receiptOfRecord,
  recordWith,
  SIGNED_RECORDS_KEY,
} from '../../support/signed-records.ts';

const signer = NoteSigner.generate('log.example');
const key = signer.verifierKey;

function trailOf(count: number): MemoryTrail {
  const trail = new MemoryTrail();
  const events = Array.from({ length: count }, (_, index) => placed(BigInt(index + 1)));
  for (const event of recorded(...events)) trail.append(encode(event));
  return trail;
}

function material(text: string): Material {
  return readMaterial(text) ?? expect.fail('unknown');
}

async function noteOf(trail: MemoryTrail, epochs = new Epochs('s')): Promise<string> {
  return (await new Prover(trail, signer, epochs).checkpoint()).note;
}

async function proofOf(from: number, to: number): Promise<Material> {
  return material(consistencyJson(from, to, await consistencyProof(from, to, trailOf(to))));
}

/** The statement of a cut at a position, and the log that went on. */
async function cutAt(position: number, trail: MemoryTrail) {
  const root = Buffer.from(await treeRoot(position, trail)).toString('base64');
  const about = { at: NOON, reason: 'copy_continued', positionsUpTo: null, idsUpTo: '9' } as const;
  const first = new Epochs('s');
  const epochs = new Epochs('s', [first.statementOf({ ...about, position, root, known: null })]);
  const breaks = new Prover(trail, signer, epochs).breaks();
  return { epochs, breaks: material(JSON.stringify({ epoch: epochs.id, breaks })) };
}

describe('Two checkpoints', () => {
  it('are compared in either order, with the proof between them', async () => {
    const [older, newer] = [await noteOf(trailOf(5)), await noteOf(trailOf(9))];
    expect(successionSteps([older, newer], key, [])).toMatchObject({ missing: 'consistency' });
    const other = await proofOf(4, 9);
    expect(successionSteps([older, newer], key, [other]).missing).toBe('consistency');
    const given = [await proofOf(5, 9)];
    for (const notes of [
      [older, newer],
      [newer, older],
    ] as const) {
      expect(isVerified(successionSteps(notes, key, given))).toBe(true);
    }
    expect(isVerified(successionSteps([older, older], key, []))).toBe(true);
  });

  it('are compared with the proof that holds, whichever is given first', async () => {
    const notes = [await noteOf(trailOf(5)), await noteOf(trailOf(9))] as const;
    const other = material(JSON.stringify({ from: 5, to: 9, proof: ['AAAA'] }));
    const own = await proofOf(5, 9);
    for (const given of [
      [other, own],
      [own, other],
    ]) {
      expect(isVerified(successionSteps(notes, key, given))).toBe(true);
    }
  });

  it('are refused where the proof or a signature is none', async () => {
    const [older, newer] = [await noteOf(trailOf(5)), await noteOf(trailOf(9))];
    for (const proof of [[], ['x'], ['AAAA'], [Buffer.alloc(32).toString('base64')]]) {
      const given = [material(JSON.stringify({ from: 5, to: 9, proof }))];
      const { steps } = successionSteps([older, newer], key, given);
      expect(steps.at(-1)).toMatchObject({ outcome: 'failed', reason: expect.any(String) });
    }
    const { steps } = successionSteps([older, newer.replace('\n9\n', '\n8\n')], key, []);
    expect(steps.map(({ outcome }) => outcome)).toStrictEqual(['ok', 'failed']);
  });

  it('are compared over a break, and refused where the older one is beyond it', async () => {
    const now = trailOf(9);
    const { epochs, breaks } = await cutAt(5, now);
    const newer = await noteOf(now, epochs);
    const [kept, lost] = [await noteOf(trailOf(4)), await noteOf(trailOf(7))];
    expect(successionSteps([kept, newer], key, []).missing).toBe('breaks');
    expect(isVerified(successionSteps([kept, newer], key, [breaks, await proofOf(4, 9)]))).toBe(
      true,
    );
    const refused = successionSteps([lost, newer], key, [breaks]);
    expect(refused.steps.at(-1)).toMatchObject({
      outcome: 'failed',
      reason: `the log was cut at position 5 on ${NOON}, into epoch ${epochs.id}`,
    });
    const none = material('{"epoch":"0","breaks":[]}');
    // It may be the answer of another log.
    expect(successionSteps([kept, newer], key, [none]).missing).toBe('breaks');
    const both = [breaks, none, await proofOf(4, 9)];
    expect(isVerified(successionSteps([kept, newer], key, both))).toBe(true);
    const forged = material(JSON.stringify({ breaks: ['no note'] }));
    expect(isVerified(successionSteps([kept, newer], key, [forged, ...both]))).toBe(false);
    expect(successionSteps([kept, newer], key, [forged]).steps.at(-1)?.reason).toBe(
      'the statement of a break: the note has no signatures',
    );
  });
});

describe('A receipt', () => {
  const log = new ProofLog(7);

  it('is refused at the step that fails', async () => {
    const receipt = await log.receipt(3);
    const failed = (text: string, vkey = log.vkey) =>
      receiptSteps(text, vkey).steps.findIndex(({ outcome }) => outcome === 'failed');
    expect(isVerified(receiptSteps(receipt, log.vkey))).toBe(true);
    expect(failed('{')).toBe(0);
    expect(failed(receipt.replace('{', '{ '))).toBe(0);
    expect(failed(receipt.replace('/v1"', '/v2"'))).toBe(0);
    expect(failed(receipt, key)).toBe(1);
    expect(failed(receipt.replace('position\\":3', 'position\\":4'))).toBe(2);
  });

  it('is refused for its form, too, where another key has signed it', async () => {
    const receipt = await log.receipt(3);
    const outcomes = (text: string) => receiptSteps(text, key).steps.map(({ outcome }) => outcome);
    expect(outcomes(receipt)).toStrictEqual(['ok', 'failed', 'not checked']);
    for (const [from, to] of [
      ['{', '{ '],
      ['/v1"', '/v2"'],
      ['"data\\":', '"date\\":'],
    ] as const) {
      const text = receipt.replace(from, to);
      expect(text).not.toBe(receipt);
      expect(outcomes(text)).toStrictEqual(['failed', 'failed', 'not checked']);
    }
  });

  it('has a step for each policy, also where the key refuses it', async () => {
    const receipt = await log.receipt(3);
    const { steps } = receiptSteps(receipt, key, 'quorum none\n', 'quorum none\n# Ours.\n');
    expect(steps.slice(3)).toStrictEqual([
      {
        outcome: 'not checked',
        what: 'A quorum of the witnesses of policy 1 has cosigned the checkpoint.',
      },
      {
        outcome: 'not checked',
        what: 'A quorum of the witnesses of policy 2 has cosigned the checkpoint.',
      },
    ]);
    expect(receiptSteps('{', log.vkey, 'quorum none\n').steps.at(-1)?.what).toMatch(/the policy/);
  });

  it('never passes a step list without the verdict of the verifier', async () => {
    const receipt = await log.receipt(3);
    for (let at = 0; at < receipt.length; at += 1) {
      const { steps } = receiptSteps(receipt.slice(0, at) + receipt.slice(at + 1), log.vkey);
      const failures = steps.filter(({ outcome }) => outcome === 'failed');
      expect(failures.every(({ reason }) => reason)).toBe(true);
      expect(failures, `without character ${at}`).toHaveLength(1);
    }
  });
});

describe('A receipt as tlog-proof', () => {
  const log = new ProofLog(7);
  const proofOf3 = async (note = log.checkpoint(), record = recordAt(3)) =>
    tlogProofOf(record, 2, await log.tree.inclusion(2), note);

  it('shows a record that is no known event as it is', () => {
    const stepsOf = (record: string) => receiptSteps(receiptOfRecord(record), SIGNED_RECORDS_KEY);
    const shownOf = (record: string) => stepsOf(record).facts?.map(([term]) => term);
    expect(shownOf(recordWith({}))).toContain('orderId');
    // Members with the names of what the page says of an event.
    const placed = { type: 'OrderPlaced', data: { Event: 'OrderCancelled', orderId: '8' } };
    for (const members of [placed, { data: null }, { metadata: { at: { toString: 1 } } }]) {
      const record = recordWith(members);
      const { steps, facts } = stepsOf(record);
      expect(facts).toStrictEqual([['Record', record]]);
      expect(steps[2]?.what).toMatch(/an event in a form that this page does not know\.$/);
    }
    fc.assert(
      fc.property(anyRecord, (record) => {
        const verified = stepsOf(record);
        expect(isVerified(verified)).toBe(true);
        expect(verified.facts?.flat().every((text) => typeof text === 'string')).toBe(true);
      }),
    );
  });

  it('is verified as the same receipt in JSON is', async () => {
    const json = receiptSteps(await log.receipt(3), log.vkey);
    const { text } = material((await proofOf3()).trimEnd()) as { readonly text: string };
    expect(receiptSteps(text, log.vkey)).toEqual(json);
    expect(isVerified(json)).toBe(true);
  });

  it('is refused at the step that fails', async () => {
    const proof = await proofOf3();
    const failed = (text: string, vkey = log.vkey) =>
      receiptSteps(text, vkey).steps.flatMap(({ outcome }, at) =>
        outcome === 'failed' ? [at] : [],
      );
    expect(failed(proof)).toEqual([]);
    expect(failed(proof.replace('\nindex 2\n', '\nindex 3\n'))).toEqual([0]);
    expect(failed(proof.replace('\nextra ', '\nextra *'))).toEqual([0]);
    expect(failed(proof, key)).toEqual([1]);
    expect(failed(await proofOf3(log.checkpoint(), recordAt(4)))).toEqual([2]);
  });
});

describe('The witnesses of a policy', () => {
  const log = new ProofLog(7);
  const note = log.checkpoint();
  const [one, two] = ['w1.example', 'w2.example'].map((name, index) => {
    return new Cosigner(name, Buffer.alloc(32, index + 1));
  }) as [Cosigner, Cosigner];
  const policy = `witness A ${one.verifierKey}\nwitness B ${two.verifierKey}\ngroup G any A B\nquorum G\n`;
  const text = note.slice(0, note.indexOf('\n\n') + 1);
  const cosigned = note + one.cosign(text, 1_800_000_000);

  it('are named with their times, for a checkpoint and for a receipt', async () => {
    const words = [
      'Witness A (w1.example) had seen this state of the log, and no other history of it, by 2027-01-15 08:00:00.000 UTC.',
      'A quorum of the witnesses of the policy has cosigned the checkpoint.',
    ];
    const ofCheckpoint = witnessedSteps(cosigned, log.vkey, policy);
    const receipt = JSON.stringify({ ...JSON.parse(await log.receipt(3)), checkpoint: cosigned });
    for (const verified of [ofCheckpoint, receiptSteps(receipt, log.vkey, policy)]) {
      expect(verified.steps.slice(-2).map(({ what }) => what)).toEqual(words);
      expect(isVerified(verified)).toBe(true);
    }
  });

  it('have to be a quorum of each policy, in any order', () => {
    const third = new Cosigner('w3.example', Buffer.alloc(32, 3));
    const own = `witness C ${third.verifierKey}\nquorum C\n`;
    for (const policies of [
      [own, 'quorum none\n'],
      ['quorum none\n', own],
    ]) {
      const verified = witnessedSteps(cosigned, log.vkey, ...policies);
      expect(isVerified(verified)).toBe(false);
      const failed = verified.steps.find(({ outcome }) => outcome === 'failed');
      expect(failed).toMatchObject({
        what: `A quorum of the witnesses of policy ${policies.indexOf(own) + 1} has cosigned the checkpoint.`,
        reason: 'no quorum of witnesses has cosigned: C did not',
      });
    }
    const twice = witnessedSteps(cosigned, log.vkey, policy, `${policy}# The same.\n`);
    expect(twice.steps.map(({ what }) => what.slice(0, 47))).toEqual([
      expect.stringMatching(/^The checkpoint/),
      expect.stringMatching(/^Witness A/),
      'A quorum of the witnesses of policy 1 has cosig',
      'A quorum of the witnesses of policy 2 has cosig',
    ]);
    expect(isVerified(twice)).toBe(true);
  });

  it('have names of any script, which reorder nothing beside them', () => {
    const byOther = policy.replaceAll(/\bA\b/g, 'עדה');
    const { steps } = witnessedSteps(cosigned, log.vkey, byOther);
    expect(steps[1]?.what).toMatch(/^Witness \u2068עדה\u2069 \(w1\.example\) had seen/);
    const head = { origin: 'יומן', size: 5, root: new Uint8Array(32) };
    expect(headWords(head)).toMatch(/^log \u2068יומן\u2069, 5 events/);
  });

  it('refuse a checkpoint without a quorum, a false cosignature, and what is no policy', () => {
    const other = new ProofLog(6).checkpoint();
    const forged = other + one.cosign(text, 1_800_000_000);
    for (const [checkpoint, by, reason] of [
      [note, policy, 'no quorum of witnesses has cosigned: A, B did not'],
      [forged, policy, 'the cosignature by w1.example is not valid'],
      [cosigned, 'quorum C\n', 'line 1 of the policy: no line before it defines C'],
    ] as const) {
      expect(witnessedSteps(checkpoint, log.vkey, by).steps.at(-1)).toMatchObject({
        outcome: 'failed',
        reason,
      });
    }
    const unsigned = witnessedSteps(cosigned, key, policy);
    expect(unsigned.steps.map(({ outcome }) => outcome)).toEqual(['failed']);
  });
});

describe('Material is recognized by its text:', () => {
  it.each([
    ['key', `${key}\n`],
    ['checkpoint', new ProofLog(3).checkpoint().trimEnd()],
    ['consistency', '{"from":1,"to":2,"proof":[]}'],
    ['breaks', '{"epoch":"0","breaks":[]}'],
    ['receipt', '{"format":"store-orders/receipt/v1"'],
    ['receipt', '{"format":"store-orders/receipt/v1"}\n\n{"epoch":1}\n\n— log x'],
    ['receipt', 'c2sp.org/tlog-proof@v1\nindex 0\n\nlog\n1\nx\n\n— log x'],
    ['policy', '# Ours.\n\nquorum none'],
    ['policy', ' witness A w1.example+'],
    [undefined, 'something else'],
  ])('%s', (kind, text) => {
    expect(readMaterial(text)?.kind).toBe(kind);
  });

  it.each([
    [true, '{"specversion":"1.0"'],
    [true, '\n\r\n{"specversion":"1.0"'],
    [false, '{"format"'],
  ])('an export by its beginning, also behind empty lines: %s', (expected, text) => {
    expect(isExport(text)).toBe(expected);
  });

  it('the statements of breaks as the command prints them', async () => {
    const { breaks } = await cutAt(5, trailOf(9));
    const [note = ''] = 'notes' in breaks ? breaks.notes : [];
    expect(readMaterial(note)).toEqual(breaks);
    expect(readMaterial([note, note].join('\n'))).toEqual({ kind: 'breaks', notes: [note, note] });
  });

  it('a text as editors of Windows leave it', () => {
    const note = new ProofLog(3).checkpoint();
    for (const text of [note, 'quorum none\n# Ours.\n']) {
      const saved = `\ufeff${text.replaceAll('\n', '\r\n')}`;
      expect(readMaterial(saved)).toEqual(readMaterial(text));
    }
  });
});
