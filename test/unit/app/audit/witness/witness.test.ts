import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cosignerKey, verifyCosignature } from '../../../../../src/app/audit/proofs/cosignature.ts';
import { verifyCheckpoint } from '../../../../../src/app/audit/proofs/verifier.ts';
import { Cosigner } from '../../../../../src/app/audit/witness/cosigner.ts';
import { knownLogs } from '../../../../../src/app/audit/witness/submitted-checkpoint.ts';
import { Witness, type WitnessAnswer } from '../../../../../src/app/audit/witness/witness.ts';
import { witnessRequestText } from '../../../../../src/app/audit/witness/witness-request.ts';
import { DamagedStore, StoreUnavailable } from '../../../../../src/app/ports/store.ts';
import type {
  CosignedCheckpoint,
  WitnessDecision,
  WitnessMemory,
} from '../../../../../src/app/ports/witness-memory.ts';
import { leavesOf, seed, WitnessedLog } from '../../../../support/witnessed-log.ts';

const cosigner = new Cosigner('witness.example/w1', seed(4));
const NOW_S = 1_800_000_000;
const log = new WitnessedLog(leavesOf(40));
const ORIGIN_HASH = createHash('sha256').update('example.com/log').digest('hex');

/** The memory of a witness, in this process. */
class Remembered implements WitnessMemory {
  readonly records = new Map<string, CosignedCheckpoint>();

  latest(origin: string): CosignedCheckpoint | undefined {
    return this.records.get(origin);
  }

  update<Result>(
    origin: string,
    decide: (latest?: CosignedCheckpoint) => WitnessDecision<Result>,
  ): Result {
    const { result, record } = decide(this.records.get(origin));
    if (record !== undefined) this.records.set(origin, record);
    return result;
  }
}

function witnessOf(memory: WitnessMemory, wall = () => NOW_S * 1_000 + 999): Witness {
  const logs = knownLogs([log.signer.verifierKey]);
  if (!logs.ok) throw new Error(logs.reason);
  return new Witness({ cosigner, logs: logs.value, memory, wall });
}

/** Returns the time of a cosignature that is valid. */
function timeOf(note: string, answer: WitnessAnswer): number | undefined {
  const key = cosignerKey(cosigner.verifierKey);
  if (!key.ok || answer.kind !== 'cosigned') throw new Error(answer.kind);
  const atS = verifyCosignature(note + answer.line, key.value);
  return atS.ok ? atS.value : undefined;
}

describe('a witness', () => {
  it('cosigns a first checkpoint, and each that is consistent with the one before', () => {
    const witness = witnessOf(new Remembered());
    expect(witness.checkpointOf(ORIGIN_HASH)).toBeUndefined();
    for (const [oldSize, size] of [
      [0, 3],
      [3, 7],
      [7, 7],
      [7, 40],
    ] as const) {
      const answer = witness.add(log.request(oldSize, size));
      expect(timeOf(log.note(size), answer)).toBe(NOW_S);
      const line = answer.kind === 'cosigned' ? answer.line : '';
      expect(witness.checkpointOf(ORIGIN_HASH)).toBe(log.note(size) + line);
    }
    const latest = witness.checkpointOf(ORIGIN_HASH) ?? '';
    expect(verifyCheckpoint(latest, log.signer.verifierKey)).toMatchObject({ ok: true });
    expect(witness.checkpointOf(createHash('sha256').update('other').digest('hex'))).toBe(
      undefined,
    );
  });

  it('cosigns an empty log, and after it any first checkpoint', () => {
    const witness = witnessOf(new Remembered());
    const answers = [
      [0, 0],
      [0, 0],
      [0, 5],
    ].map(([oldSize = 0, size = 0]) => witness.add(log.request(oldSize, size)).kind);
    expect(answers).toEqual(['cosigned', 'cosigned', 'cosigned']);
  });

  it('names the latest size where a proof begins elsewhere', () => {
    const witness = witnessOf(new Remembered());
    expect(witness.add(log.request(2, 3))).toEqual({ kind: 'conflict', size: 0 });
    witness.add(log.request(0, 7));
    for (const oldSize of [0, 3, 8]) {
      expect(witness.add(log.request(oldSize, 9))).toEqual({ kind: 'conflict', size: 7 });
    }
  });

  const fork = new WitnessedLog(leavesOf(40, 'b'));
  const notEmpty = log.signer.sign(`example.com/log\n0\n${log.root(1).toString('base64')}\n`);
  it.each([
    ['another root of the same size', 7, fork.request(7, 7), 'one size has two roots'],
    ['another history', 7, fork.request(7, 9), 'the proof does not lead to the older root'],
    ['no proof', 7, `old 7\n\n${log.note(9)}`, 'the proof is empty'],
    [
      'a proof from nothing',
      0,
      witnessRequestText({ oldSize: 0, proof: [log.root(1)], note: log.note(9) }),
      'there is nothing to prove, and the proof is not empty',
    ],
    [
      'an empty tree of another root',
      0,
      `old 0\n\n${notEmpty}`,
      'the root is not that of an empty',
    ],
  ])('does not cosign %s', (_, seen, body, reason) => {
    const memory = new Remembered();
    const witness = witnessOf(memory);
    if (seen > 0) witness.add(log.request(0, seen));
    const before = [...memory.records];
    const [, checkpoint = ''] = /\n\n(.*\n)\n/s.exec(body) ?? [];
    expect(witness.add(body)).toEqual({
      kind: 'refused',
      fault: 'inconsistent',
      reason: expect.stringContaining(reason),
      checkpoint: expect.stringContaining(checkpoint.split('\n', 1)[0] ?? ''),
      cosigned: witness.checkpointOf(ORIGIN_HASH),
    });
    expect([...memory.records]).toEqual(before);
  });

  it('hands out the two checkpoints of a fork with the signatures of the log', () => {
    const witness = witnessOf(new Remembered());
    witness.add(log.request(0, 7));
    const stranger = new Cosigner('witness.example/w2', seed(5));
    const forked = fork.note(9);
    const note = forked + stranger.cosign(forked.slice(0, forked.indexOf('\n\n') + 1), NOW_S);
    const answer = witness.add(fork.request(7, 9, note));
    const { checkpoint = '', cosigned = '' } = answer.kind === 'refused' ? answer : expect.fail();
    expect(checkpoint).toBe(forked);
    const roots = [checkpoint, cosigned].map((each) => {
      const verdict = verifyCheckpoint(each, log.signer.verifierKey);
      return verdict.ok ? [verdict.value.size, Buffer.from(verdict.value.root)] : verdict.reason;
    });
    expect(roots).toEqual([
      [9, fork.root(9)],
      [7, log.root(7)],
    ]);
  });

  it('refuses what is no submission', () => {
    expect(witnessOf(new Remembered()).add('')).toMatchObject({ fault: 'malformed' });
  });

  it('is never earlier with a larger tree, also when its clock is set back', () => {
    const memory = new Remembered();
    witnessOf(memory).add(log.request(0, 3));
    const late = witnessOf(memory, () => (NOW_S - 60) * 1_000);
    expect(timeOf(log.note(5), late.add(log.request(3, 5)))).toBe(NOW_S);
    const present = witnessOf(memory, () => (NOW_S + 60) * 1_000);
    expect(timeOf(log.note(5), present.add(log.request(5, 5)))).toBe(NOW_S + 60);
  });

  it('never has the time 0, which would be none', () => {
    const witness = witnessOf(new Remembered(), () => 0);
    expect(timeOf(log.note(3), witness.add(log.request(0, 3)))).toBe(1);
    expect(timeOf(log.note(7), witness.add(log.request(3, 7)))).toBe(1);
  });

  it('has no time after the year 9999, which would be none, and goes on with the right clock', () => {
    const memory = new Remembered();
    let wallMs = Date.UTC(10_000, 0);
    const witness = witnessOf(memory, () => wallMs);
    expect(() => witness.add(log.request(0, 3))).toThrow(StoreUnavailable);
    expect(memory.records.size).toBe(0);
    wallMs -= 1;
    expect(timeOf(log.note(3), witness.add(log.request(0, 3)))).toBe(253_402_300_799);
    expect(witness.add(log.request(3, 5)).kind).toBe('cosigned');
  });

  it('has the clock of the machine, if no other is given', () => {
    const logs = knownLogs([log.signer.verifierKey]);
    if (!logs.ok) throw new Error(logs.reason);
    const witness = new Witness({ cosigner, logs: logs.value, memory: new Remembered() });
    expect(timeOf(log.note(3), witness.add(log.request(0, 3)))).toBeGreaterThan(1_000_000_000);
  });

  const other = new Cosigner('witness.example/w2', seed(5));
  const [text = ''] = /^.*?\n(?=\n)/s.exec(log.note(3)) ?? [];
  it.each([
    ['is no note', 'text'],
    ['another witness has signed', log.note(3) + other.cosign(text, NOW_S)],
    ['was changed', log.note(3).replace('\n3\n', '\n2\n') + cosigner.cosign(text, NOW_S)],
    ['is no checkpoint', `text\n\n${cosigner.cosign('text\n', NOW_S)}`],
    [
      'is of another log',
      `other\n${text.split('\n').slice(1).join('\n')}\n${cosigner.cosign(text.replace('example.com/log', 'other'), NOW_S)}`,
    ],
    ['has another size beside it', log.note(3) + cosigner.cosign(text, NOW_S), 4],
  ])('takes no record for its own that %s', (_, note, size = 3) => {
    const memory = new Remembered();
    memory.records.set('example.com/log', { size, note });
    const witness = witnessOf(memory);
    expect(() => witness.add(log.request(3, 5))).toThrow(DamagedStore);
    expect(() => witness.checkpointOf(ORIGIN_HASH)).toThrow(DamagedStore);
  });
});

/** Histories with common beginnings: the later ones leave the first at some size. */
const histories = fc
  .array(fc.integer({ min: 0, max: 19 }), { minLength: 1, maxLength: 3 })
  .map((forks) => [
    new WitnessedLog(leavesOf(20)),
    ...forks.map((at, index) => {
      const letter = 'bcd'[index];
      return new WitnessedLog([...leavesOf(20).slice(0, at), ...leavesOf(20 - at, letter)]);
    }),
  ]);

interface Attempt {
  readonly history: number;
  readonly size: number;
  readonly oldSize: number;
  /** True to prove from the size that the witness has named, as an honest log does. */
  readonly isInformed: boolean;
  /** The history that the proof is of, which a dishonest log may choose. */
  readonly proofOf: number;
  readonly clockS: number;
}

const attempts = fc.array(
  fc.record<Attempt>({
    history: fc.nat({ max: 3 }),
    size: fc.nat({ max: 20 }),
    oldSize: fc.nat({ max: 20 }),
    isInformed: fc.boolean(),
    proofOf: fc.nat({ max: 3 }),
    clockS: fc.nat({ max: 100 }),
  }),
  { maxLength: 30 },
);

describe('no sequence of submissions', () => {
  it('gets cosignatures on two histories, and the honest ones get all of theirs', () => {
    fc.assert(
      fc.property(histories, attempts, (logs, sequence) => {
        const memory = new Remembered();
        let clockS = 0;
        const witness = witnessOf(memory, () => clockS * 1_000);
        const cosigned: { size: number; root: string; atS: number }[] = [];
        let seen = 0;
        for (const attempt of sequence) {
          clockS = attempt.clockS;
          const of = (index: number) => logs[index % logs.length] as WitnessedLog;
          const { size } = attempt;
          const oldSize = attempt.isInformed ? seen : attempt.oldSize;
          const proof = of(attempt.proofOf).proof(oldSize, size);
          const note = of(attempt.history).note(size);
          const answer = witness.add(witnessRequestText({ oldSize, proof, note }));
          const root = of(attempt.history).root(size).toString('hex');
          const last = cosigned.at(-1);
          const isHonest =
            of(attempt.proofOf) === of(attempt.history) &&
            oldSize === seen &&
            oldSize <= size &&
            (last === undefined || of(attempt.history).root(seen).toString('hex') === last.root);
          if (isHonest) expect(answer.kind).toBe('cosigned');
          if (answer.kind !== 'cosigned') continue;
          cosigned.push({ size, root, atS: timeOf(note, answer) ?? Number.NaN });
          seen = size;
        }
        // One history has them all; sizes and times never decrease.
        const isOne = logs.some((one) =>
          cosigned.every(({ size, root }) => one.root(size).toString('hex') === root),
        );
        expect(isOne).toBe(true);
        for (const [index, { size, atS }] of cosigned.entries()) {
          expect(size).toBeGreaterThanOrEqual(cosigned[index - 1]?.size ?? 0);
          expect(atS).toBeGreaterThanOrEqual(cosigned[index - 1]?.atS ?? 0);
        }
      }),
    );
  });
});
