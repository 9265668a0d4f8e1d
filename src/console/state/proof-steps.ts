/** The verification of a receipt and of a checkpoint, step by step and in words. */
import { base64Of, bytesOf } from '../../app/audit/proofs/bytes.ts';
import { knownEventIn } from '../../app/audit/proofs/known-event.ts';
import { isTlogProof, verifyTlogProof } from '../../app/audit/proofs/tlog-proof.ts';
import {
  type Checkpoint,
  positionOf,
  type Verdict,
  verifyCheckpoint,
  verifyInclusion,
  verifyKey,
  verifyReceipt,
} from '../../app/audit/proofs/verifier.ts';
import { readStoredEvent } from './event-reader.ts';
import { isolated } from './isolated.ts';
import { countText } from './times.ts';
import { unwitnessedSteps, witnessSteps } from './witness-steps.ts';

export interface Step {
  readonly outcome: 'ok' | 'failed' | 'not checked';
  readonly what: string;
  /** The reason of a failure. */
  readonly reason?: string;
}

export interface Verified {
  readonly steps: readonly Step[];
  /** The contents of what holds: terms with their texts. */
  readonly facts?: readonly (readonly [term: string, text: string])[];
  /** The material that is missing for the rest. */
  readonly missing?: 'consistency' | 'breaks' | undefined;
}

export function isVerified({ steps, missing }: Verified): boolean {
  return missing === undefined && steps.every(({ outcome }) => outcome === 'ok');
}

/** Returns a step from its verdict. */
export function stepOf(what: string, verdict: Verdict<unknown> | undefined): Step {
  if (verdict === undefined) return { outcome: 'not checked', what };
  return verdict.ok ? { outcome: 'ok', what } : { outcome: 'failed', what, reason: verdict.reason };
}

export function keyProblem(key: string): string | undefined {
  const verdict = verifyKey(key);
  return verdict.ok ? undefined : verdict.reason;
}

/** Returns a checkpoint in words. */
export function headWords({ origin, size, root }: Omit<Checkpoint, 'epoch'>): string {
  return `log ${isolated(origin)}, ${countText(size)} events, root ${base64Of(root)}`;
}

const SIGNED = 'The checkpoint in it is signed by this key';

/**
 * Verifies a receipt in either form. The verdict on the whole is that of the published verifier.
 * @param policies The texts of policies of witnesses: a quorum of each must have cosigned.
 */
export function receiptSteps(
  receipt: string,
  key: string,
  ...policies: readonly string[]
): Verified {
  const whole = (isTlogProof(receipt) ? verifyTlogProof : verifyReceipt)(receipt, key);
  if (whole.ok) {
    const { record, position, checkpoint, note } = whole.value;
    const facts = factsOf(record);
    const words = new Map(facts);
    const by = isolated(`${words.get('By')}`);
    const said = words.has('Event')
      ? `${words.get('Event')} of order ${words.get('orderId')}, at ${words.get('Recorded')}, by ${by}`
      : 'an event in a form that this page does not know';
    return {
      facts,
      steps: [
        { outcome: 'ok', what: 'The receipt is in the one form that it can have.' },
        { outcome: 'ok', what: `${SIGNED}: ${headWords(checkpoint)}.` },
        { outcome: 'ok', what: `The record is event ${position} of that log: ${said}.` },
        ...witnessSteps(note, policies),
      ],
    };
  }
  return { steps: [...refusedSteps(receipt, key, whole.reason), ...unwitnessedSteps(policies)] };
}

/** Finds the step at which a receipt fails. */
function refusedSteps(receipt: string, key: string, reason: string): readonly Step[] {
  const form = 'The receipt is in the one form that it can have';
  const inLog = 'The record is in the log of the checkpoint';
  const refused: Step = { outcome: 'failed', what: form, reason };
  const parts = partsOf(receipt);
  if (parts === undefined) return [refused, stepOf(SIGNED, undefined), stepOf(inLog, undefined)];
  const { record, proof, note } = parts;
  const signed = verifyCheckpoint(note, key);
  const position = positionOf(record);
  const included =
    signed.ok && position.ok
      ? verifyInclusion(record, position.value - 1, signed.value, proof)
      : undefined;
  const isOfForm = signed.ok ? included?.ok !== false : signed.reason !== reason;
  return [
    isOfForm ? refused : { outcome: 'ok', what: form },
    stepOf(SIGNED, signed),
    stepOf(inLog, included),
  ];
}

function partsOf(receipt: string) {
  try {
    if (isTlogProof(receipt)) return tlogPartsOf(receipt);
    const { record, proof, checkpoint: note } = Object(JSON.parse(receipt));
    if (typeof record !== 'string' || typeof note !== 'string') return undefined;
    return { record, note, proof: (proof as string[]).map(bytesOf) };
  } catch {
    return undefined;
  }
}

function tlogPartsOf(text: string) {
  const [head = ''] = text.split('\n\n', 1);
  const [, extra = '', , ...proof] = head.split('\n');
  const record = new TextDecoder().decode(bytesOf(extra.replace(/^extra /, '')));
  return { record, note: text.slice(head.length + 2), proof: proof.map(bytesOf) };
}

/**
 * Returns the contents of a record that is in the log. Its data are kept as they are written. A record
 * that is no event of a known form is shown as it is: its members may have any names and values.
 */
function factsOf(record: string): readonly (readonly [string, string])[] {
  if (knownEventIn(record, readStoredEvent) === undefined) return [['Record', record]];
  const { type, position, version, metadata, data } = JSON.parse(record);
  const { at, by, commandId } = metadata;
  return [
    ['Event', type],
    ['Position', String(position)],
    ['Event of its order', String(version)],
    ['Recorded', at],
    ['By', by],
    ['Request', commandId],
    ...Object.entries(data).map(([name, value]) => [name, String(value)] as const),
  ];
}

/** Verifies a checkpoint with the witnesses of each policy. */
export function witnessedSteps(
  note: string,
  key: string,
  ...policies: readonly string[]
): Verified {
  const signed = verifyCheckpoint(note, key);
  const what = 'The checkpoint is signed by this key';
  if (!signed.ok) return { steps: [stepOf(what, signed)] };
  const first: Step = { outcome: 'ok', what: `${what}: ${headWords(signed.value)}.` };
  return { steps: [first, ...witnessSteps(note, policies)] };
}
