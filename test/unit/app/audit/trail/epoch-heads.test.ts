import { describe, expect, it } from 'vitest';
import { isFinding } from '../../../../../src/app/audit/proofs/trail-file.ts';
import {
  type Break,
  type Checkpoint,
  type Verdict,
  verifyBreak,
  verifyCheckpoint,
  verifySuccession,
} from '../../../../../src/app/audit/proofs/verifier.ts';
import { NoteSigner } from '../../../../../src/app/audit/proving/checkpoint.ts';
import { CannotProve, Prover } from '../../../../../src/app/audit/proving/prover.ts';
import { headIn, headsOfBreaks } from '../../../../../src/app/audit/trail/epoch-heads.ts';
import { Epochs, type KnownBefore } from '../../../../../src/app/log/epochs.ts';
import { consistencyProof, treeRoot } from '../../../../../src/app/log/merkle-proofs.ts';
import { encode } from '../../../../../src/infra/events/codec.ts';
import { MemoryTrail } from '../../../../../src/infra/memory/trail.ts';
import { NOON, placed, recorded } from '../../../../support/events.ts';

const signer = NoteSigner.generate('log.example');

/** A log of so many orders, of a pet. */
function trailOf(count: number, petId = 1n): MemoryTrail {
  const trail = new MemoryTrail();
  const events = Array.from({ length: count }, (_, n) =>
    placed(BigInt(n + 1), { petId: (n < 50 ? 1n : petId) as never }),
  );
  for (const event of recorded(...events)) trail.append(encode(event));
  return trail;
}

async function cut(epochs: Epochs, trail: MemoryTrail, position: number, known?: KnownBefore) {
  const root = Buffer.from(await treeRoot(position, trail)).toString('base64');
  const about = { at: NOON, reason: 'copy_continued', positionsUpTo: null, idsUpTo: '9' } as const;
  const statement = epochs.statementOf({ ...about, position, root, known: known ?? null });
  return new Epochs(epochs.storeId, [...epochs.statements, statement]);
}

function need<Value>(verdict: Verdict<Value>): Value {
  return verdict.ok ? verdict.value : expect.fail(verdict.reason);
}

async function checkpoint(trail: MemoryTrail, epochs: Epochs): Promise<Checkpoint> {
  const { note } = await new Prover(trail, signer, epochs).checkpoint();
  return need(verifyCheckpoint(note, signer.verifierKey));
}

function breaksOf(trail: MemoryTrail, epochs: Epochs): Break[] {
  const notes = new Prover(trail, signer, epochs).breaks();
  return notes.map((note) => need(verifyBreak(note, signer.verifierKey)));
}

/** A log that was signed at 54, cut at 50, and has gone on to 60 and been cut and gone on again. */
async function given() {
  const first = new Epochs('s');
  const [before, now] = [trailOf(54), trailOf(70, 2n)];
  const one = await cut(first, now, 50);
  const two = await cut(one, now, 60);
  return { first, one, two, before, now, lost: await checkpoint(before, first) };
}

describe('an epoch', () => {
  it('is part of the signed text, so that no origin has two roots of one size', async () => {
    const { one, two, now, lost } = await given();
    const [later, last] = [await checkpoint(now, one), await checkpoint(now, two)];
    expect([lost.origin, lost.epoch]).toStrictEqual(['log.example', '0']);
    expect([later.origin, later.epoch]).toStrictEqual([`log.example+${one.id}`, one.id]);
    expect(last.epoch).toBe(two.id);
    for (const epoch of ['', 'x', '0', `${one.id}0`, `${one.id}\n`]) {
      const note = signer.signCheckpoint(1, Buffer.alloc(32, 1), epoch || ' ');
      expect(verifyCheckpoint(note, signer.verifierKey).ok).toBe(epoch === '0');
    }
  });

  it('begins with a statement that is signed and cannot be another', async () => {
    const { one, now } = await given();
    const [note = ''] = new Prover(now, signer, one).breaks();
    const root = Uint8Array.from(await treeRoot(50, now));
    expect(verifyBreak(note, signer.verifierKey)).toStrictEqual({
      ok: true,
      value: { id: one.id, before: '0', at: NOON, reason: 'copy_continued', position: 50, root },
    });
    expect(verifyBreak(note.replace(':50', ':51'), signer.verifierKey).ok).toBe(false);
    const [statement = ''] = one.statements;
    const texts = 'the epoch before, the time and the reason are not texts';
    const numbers = 'the epoch and the position are not whole numbers';
    for (const [from, to, reason] of [
      ['store-orders/break/v1', 'store-orders/break/v2', 'the format is not store-orders/break/v1'],
      ['"before":"0"', '"before":0', texts],
      ['"epoch":1', '"epoch":0', 'the epoch is not a whole number from 1'],
      ['"epoch":1', '"epoch":"1"', numbers],
      ['"position":50', '"position":-1', 'the size is not a whole number from 0'],
      ['"position":50', '"position":"50"', numbers],
      ['"position":50', '"position":[50]', numbers],
      [/"root":"./, '"root":"', 'the root is not base64'],
      ['"at":', '"when":', expect.stringMatching(/^the statement must have the members at,/)],
    ] as const) {
      const other = signer.sign(`${statement.replace(from, to)}\n`);
      expect(verifyBreak(other, signer.verifierKey), to).toStrictEqual({ ok: false, reason });
    }
    expect(() => new Prover(now, undefined, one).breaks()).toThrow(CannotProve);
  });

  it('leads from an older checkpoint to a newer one, unless the older one was lost', async () => {
    const { first, one, two, now, lost } = await given();
    const newer = await checkpoint(now, two);
    const breaks = breaksOf(now, two);
    const older = await checkpoint(trailOf(50), first);
    const proof = await consistencyProof(50, 70, now);
    expect(verifySuccession(older, newer, breaks, proof)).toStrictEqual({
      ok: true,
      value: undefined,
    });
    const reason = `the log was cut at position 50 on ${NOON}, into epoch ${one.id}`;
    expect(verifySuccession(lost, newer, breaks, [])).toStrictEqual({ ok: false, reason });
    expect(verifySuccession(older, newer, breaks, [])).toMatchObject({ ok: false });
    expect(verifySuccession(older, newer, breaks.slice(1), proof)).toMatchObject({
      reason: `no signed break leads from epoch 0 to epoch ${two.id}`,
    });
  });
});

describe('a checkpoint in a log that was cut', () => {
  it('must be true up to where its epoch ended', async () => {
    const { first, one, two, now } = await given();
    for (const epochs of [first, one]) {
      const early = await checkpoint(trailOf(50), epochs);
      expect(headIn(two, 'c', early)).not.toHaveProperty('cut');
    }
    expect(headIn(two, 'c', await checkpoint(now, two))).not.toHaveProperty('cut');
  });

  it('is reported with the break if it goes beyond its epoch', async () => {
    const { two, lost } = await given();
    const problem =
      'c was signed in epoch 0, and the log was cut at position 50 on ' +
      `${NOON} and went on in epoch 1`;
    expect(headIn(two, 'c', lost)).toMatchObject({ size: 54, cut: { from: 51, problem } });
  });

  it('is reported if it is of an unknown epoch', async () => {
    const { first, one, two, now } = await given();
    const [foreign, other] = [await cut(first, now, 40), await cut(first, now, 40)];
    const signed = await checkpoint(trailOf(54), foreign);
    const unknown = `c was signed in epoch ${foreign.id}, which is none of this log`;
    expect(headIn(first, 'c', signed)).toStrictEqual({ from: 1, to: 54, problem: unknown });
    expect(headIn(one, 'c', signed)).toStrictEqual({
      from: 51,
      to: 54,
      problem: `${unknown}: the log was cut at position 50 on ${NOON} and went on in epoch 1`,
    });
    expect(headIn(two, 'c', signed)).toStrictEqual({
      from: 54,
      to: 54,
      problem: `${unknown}: the log was cut at position 60 on ${NOON} and went on in epoch 2`,
    });
    const known = { epoch: foreign.id, position: 54, root: null };
    const told = await cut(await cut(first, now, 45, known), now, 60);
    expect(headIn(told, 'c', signed)).toMatchObject({
      cut: { problem: expect.stringContaining('cut at position 45') },
    });
    for (const epochs of [first, two, told, foreign]) {
      const isStranger = isFinding(headIn(epochs, 'c', signed));
      expect(isStranger).toBe(epochs === first || epochs === two);
    }
    expect(one.id).not.toBe(other.id);
  });

  it('is that of another log where the name is another, and is compared all the same', async () => {
    const { first, before } = await given();
    const signed = await checkpoint(before, first);
    const problem =
      'c is of another log, log.example, and this log, shop.example, lacks what it has';
    const { size, root } = signed;
    const head = { name: 'c', size, root };
    expect(headIn(first, 'c', signed, 'shop.example')).toEqual({
      ...head,
      cut: { from: 1, problem },
    });
    expect(headIn(first, 'c', signed, 'log.example')).toEqual(head);
  });

  it('has the roots at the cuts of the log to compare with', async () => {
    const { two, now } = await given();
    const [fifty, sixty] = [await treeRoot(50, now), await treeRoot(60, now)];
    expect(headsOfBreaks(two)).toStrictEqual([
      { name: 'the statement of epoch 1', size: 50, root: Buffer.from(fifty) },
      { name: 'the statement of epoch 2', size: 60, root: Buffer.from(sixty) },
    ]);
  });
});
