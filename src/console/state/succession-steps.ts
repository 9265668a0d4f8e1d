/** The comparison of two checkpoints, step by step and in words. */
import { bytesOf } from '../../app/audit/proofs/bytes.ts';
import {
  type Break,
  type Checkpoint,
  type Verdict,
  verifyBreak,
  verifyCheckpoint,
  verifyConsistency,
  verifySuccession,
} from '../../app/audit/proofs/verifier.ts';
import type { Consistency } from './checkpoint-order.ts';
import type { Material } from './material.ts';
import { headWords, type Step, stepOf, type Verified } from './proof-steps.ts';

/** Verifies that the log of the newer of two checkpoints begins with that of the older one. */
export function successionSteps(
  notes: readonly [string, string],
  key: string,
  given: readonly Material[],
): Verified {
  const verdicts = notes.map((note) => verifyCheckpoint(note, key));
  const [one, other] = verdicts.map((verdict) => (verdict.ok ? verdict.value : undefined));
  if (one === undefined || other === undefined) {
    const names = ['The first checkpoint', 'The second checkpoint'];
    return {
      steps: verdicts.map((verdict, at) => stepOf(`${names[at]} is signed by this key`, verdict)),
    };
  }
  const [older, newer] = ordered(one, other);
  const signed: Step[] = [
    { outcome: 'ok', what: `The older checkpoint is signed by this key: ${headWords(older)}.` },
    { outcome: 'ok', what: `The newer one is signed by this key: ${headWords(newer)}.` },
  ];
  const proof = proofIn(given, older, newer);
  const breaks = breaksIn(given, key);
  if (older.epoch !== newer.epoch && breaks === undefined)
    return { steps: signed, missing: 'breaks' };
  const what = 'The log of the newer one begins with that of the older one.';
  // Without regard to what was added: only breaks that took events away can refuse this.
  const uncut = succession(older, { ...newer, size: older.size, root: older.root }, breaks, []);
  if (!uncut.ok) return { steps: [...signed, stepOf(what, uncut)] };
  if (proof === undefined) return { steps: signed, missing: 'consistency' };
  return { steps: [...signed, stepOf(what, succession(older, newer, breaks, proof))] };
}

/** Returns the older checkpoint first: by epoch, and then by size. */
function ordered(one: Checkpoint, other: Checkpoint): readonly [Checkpoint, Checkpoint] {
  const [first, second] = [one, other].map(({ epoch }) => Number.parseInt(epoch, 10));
  const isOlder = first === second ? one.size <= other.size : Number(first) < Number(second);
  return isOlder ? [one, other] : [other, one];
}

function succession(
  older: Checkpoint,
  newer: Checkpoint,
  breaks: Verdict<readonly Break[]> | undefined,
  proof: readonly Uint8Array[],
): Verdict<unknown> {
  if (breaks?.ok === false) return breaks;
  return verifySuccession(older, newer, breaks?.value ?? [], proof);
}

/** Returns the hashes that lead from one to the other; `undefined` if some are needed and none were given. */
function proofIn(
  given: readonly Material[],
  older: Checkpoint,
  newer: Checkpoint,
): readonly Uint8Array[] | undefined {
  if (older.size === 0 || older.size >= newer.size) return [];
  const proof = proofOf(given, older, newer);
  return proof && hashesOf(proof);
}

/** Returns the proof between two sizes: of several, one that holds, if any does. */
function proofOf(
  given: readonly Material[],
  older: Checkpoint,
  newer: Checkpoint,
): Consistency | undefined {
  const [from, to] = [older.size, newer.size];
  const found = given.filter((each): each is Consistency => {
    return each.kind === 'consistency' && each.from === from && each.to === to;
  });
  return found.find((each) => verifyConsistency(older, newer, hashesOf(each)).ok) ?? found[0];
}

/** Returns the proof that these two are compared with, if they need one: the first if they are not signed. */
export function proofUsed(
  notes: readonly [string, string],
  key: string,
  given: readonly Consistency[],
): Consistency | undefined {
  const [one, other] = notes.map((note) => verifyCheckpoint(note, key));
  if (!one?.ok || !other?.ok) return given[0];
  return proofOf(given, ...ordered(one.value, other.value));
}

function hashesOf({ proof }: Consistency): readonly Uint8Array[] {
  try {
    return proof.map(bytesOf);
  } catch {
    // No hash: the verifier refuses it.
    return [new Uint8Array()];
  }
}

function breaksIn(given: readonly Material[], key: string): Verdict<readonly Break[]> | undefined {
  // The empty list of a log without breaks may be that of another log.
  const found = given.flatMap((each) => (each.kind === 'breaks' ? each.notes : []));
  if (found.length === 0) return undefined;
  const verdicts = found.map((note) => verifyBreak(note, key));
  const refused = verdicts.find((verdict) => !verdict.ok);
  if (refused?.ok === false) {
    return { ok: false, reason: `the statement of a break: ${refused.reason}` };
  }
  return { ok: true, value: verdicts.flatMap((verdict) => (verdict.ok ? [verdict.value] : [])) };
}
