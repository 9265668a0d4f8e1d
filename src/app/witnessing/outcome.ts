/**
 * The outcomes of requests to a witness (C2SP tlog-witness, `add-checkpoint`), read from its
 * answers. A cosignature counts only if it is valid by the key that the policy has for the witness.
 */

import { type CosignerKey, verifyCosignature } from '../audit/proofs/cosignature.ts';
import type { WitnessAnswer } from '../ports/witnesses.ts';

/** A request that brought no cosignature. */
interface Failed {
  readonly kind:
    | 'unreachable' // no answer in time, or a server that fails
    | 'limited' // too many requests
    | 'refused' // the witness does not serve this log, or takes the request for malformed
    | 'inconsistent' // the witness has cosigned another history of this log
    | 'invalid'; // an answer outside the protocol, such as a wrong signature
  readonly reason: string;
  readonly retryAfterMs?: number | undefined;
}

/** The outcome of a request. */
export type WitnessOutcome =
  /** The line joins the signatures of the checkpoint's note. */
  | { readonly kind: 'cosigned'; readonly line: string }
  /** The witness has cosigned a checkpoint of this size last, not the one that was assumed. */
  | { readonly kind: 'conflict'; readonly size: number }
  | Failed;

/** The kinds of outcomes, as metrics have them. */
export const OUTCOMES = [
  'cosigned',
  'conflict',
  'unreachable',
  'limited',
  'refused',
  'inconsistent',
  'invalid',
] as const satisfies readonly WitnessOutcome['kind'][];

/** The statuses that have a meaning of their own, beside 200 and 409. */
const FAILURES: Readonly<Record<number, readonly [Failed['kind'], meaning: string]>> = {
  403: ['refused', 'it accepts no signature of this key for this log'],
  404: ['refused', 'it does not know this log'],
  408: ['unreachable', 'it has waited too long'],
  422: ['inconsistent', 'the proof from the checkpoint that it has cosigned does not hold'],
  429: ['limited', 'too many requests'],
};

/** A request, as its outcome depends on it. */
interface Submitted {
  /** The checkpoint, without signatures. */
  readonly text: string;
  /** The size of the checkpoint. */
  readonly size: number;
  /** The size from which the proof leads to it. */
  readonly oldSize: number;
}

/**
 * Returns the outcome of a request.
 * @param key The key of the witness.
 */
export function outcomeOf(
  answer: WitnessAnswer,
  submitted: Submitted,
  key: CosignerKey,
): WitnessOutcome {
  if (answer.kind === 'unanswered') return { kind: 'unreachable', reason: answer.reason };
  const { status, body, retryAfterMs } = answer;
  if (status === 200) return cosignedIn(body, submitted.text, key);
  if (status === 409) return conflictIn(body, submitted);
  const byClass = status >= 500 ? 'unreachable' : 'refused';
  const [kind, meaning] = FAILURES[status] ?? [byClass, undefined];
  const reason = meaning === undefined ? `status ${status}` : `status ${status}: ${meaning}`;
  return { kind, reason, retryAfterMs };
}

/**
 * Returns the newest cosignature by a key among lines of signatures, with the line. Lines by other
 * keys are ignored.
 * @returns `undefined` if there is none, or one that is not valid.
 */
export function cosignatureIn(
  lines: string,
  text: string,
  key: CosignerKey,
): { readonly line: string; readonly atS: number } | undefined {
  let newest: { readonly line: string; readonly atS: number } | undefined;
  for (const line of lines.split('\n')) {
    if (!line.startsWith(`— ${key.name} `)) continue;
    const verdict = verifyCosignature(`${text}\n${line}\n`, key);
    // Another key may have the same name.
    if (verdict.ok && verdict.value === undefined) continue;
    if (!verdict.ok || verdict.value === undefined) return undefined;
    const atS = verdict.value;
    if (newest === undefined || atS > newest.atS) newest = { line: `${line}\n`, atS };
  }
  return newest;
}

function cosignedIn(body: string, text: string, key: CosignerKey): WitnessOutcome {
  const found = cosignatureIn(body, text, key);
  if (found !== undefined) return { kind: 'cosigned', line: found.line };
  return { kind: 'invalid', reason: `the answer has no valid cosignature by ${key.name}` };
}

function conflictIn(body: string, { size, oldSize }: Submitted): WitnessOutcome {
  const seen = Number(/^(0|[1-9]\d{0,15})\n?$/.exec(body)?.[1] ?? Number.NaN);
  const isSize = Number.isSafeInteger(seen);
  if (isSize && seen !== oldSize) return { kind: 'conflict', size: seen };
  if (size === oldSize) {
    // Version 1.0.0 of tlog-witness has 409 where later ones have 422.
    const reason = `status 409: it has cosigned another checkpoint of ${size} events`;
    return { kind: 'inconsistent', reason };
  }
  const reason = isSize
    ? `status 409, and it has cosigned ${seen} events, from which the proof begins`
    : 'status 409 without the size that it has cosigned';
  return { kind: 'invalid', reason };
}
