/** The reports of `verify`. */

import type { Finding } from '../../app/audit/proofs/trail-check.ts';
import { type Break, inWords } from '../../app/log/epochs.ts';
import { linesOf, upperFirst } from './print.ts';
import { NOT_SHOWN, type Said, showsCancellation } from './receipt-words.ts';
import { jsonLines } from './results.ts';
import type { SignedTrail } from './trail-lines.ts';
import { type CosignedBy, cosignedWords } from './witness-check.ts';

export interface Report {
  readonly checked: 'store' | 'export' | 'receipt';
  readonly store?: string;
  /** The number of events, from the first, that are right; and their root, if it is known. */
  readonly events?: number;
  readonly root?: string | undefined;
  /** Of an export: the signer of every line, and the store that it is from. */
  readonly exported?: ({ readonly file: string } & SignedTrail) | undefined;
  /** Of a receipt: the position of its event, and the event. */
  readonly position?: number;
  readonly record?: string;
  readonly breaks?: readonly Break[];
  /** The statement of the receipt; absent if this version cannot read its event. */
  readonly says?: Said | undefined;
  /** The order whose cancellation the receipt was to show, and the answer. */
  readonly asked?: { readonly order: string; readonly isShown: boolean } | undefined;
  readonly checkpoints: readonly SignedFile[];
  readonly findings: readonly Finding[];
}

interface SignedFile {
  readonly file: string;
  readonly origin: string;
  readonly size: number;
  /** Those of a policy that have cosigned it; absent without a policy. */
  readonly witnesses?: readonly CosignedBy[] | undefined;
}

export function asJson(report: Report): string {
  const ok = report.findings.length === 0 && report.asked?.isShown !== false;
  return jsonLines({ ok, ...report });
}

export function asText(whole: Report): string {
  const { findings, checkpoints, breaks = [], ...report } = whole;
  const { events, root, exported, position, record } = report;
  const are = findings.length === 0 ? 'verified' : "keep the log's own rules";
  const lines = [
    ...(events === undefined ? [] : [`${events} events ${are}.`]),
    ...(root === undefined ? [] : [`Their root is ${root}`]),
    ...(exported === undefined
      ? []
      : [
          `${exported.file} is from ${exported.source}, signed by ${exported.origin}, every line of it.`,
        ]),
    ...(position === undefined ? [] : [`Position ${position}: ${record}`]),
    ...breaks.map((each) => `${upperFirst(inWords(each))}: ${each.reason}.`),
    ...checkpoints.flatMap(({ file, origin, size, witnesses = [] }) => [
      `${file} is signed by ${origin}, for ${size} events.`,
      ...witnesses.map((witness) => cosignedWords(file, witness)),
    ]),
    ...findings.map((finding) => `${placeOf(finding)}${finding.problem}`),
    ...verdictOf(whole),
  ];
  return linesOf(lines);
}

function verdictOf({ checked, findings, says, asked }: Report): readonly string[] {
  if (findings.length > 0) return ['Verification failed.'];
  if (checked !== 'receipt') return ['Verified.'];
  return [...(says === undefined ? [] : [NOT_SHOWN]), receiptVerdict(says, asked)];
}

/** A receipt of one thing must not read like a receipt of another. */
function receiptVerdict(says: Said | undefined, asked: Report['asked']): string {
  const what =
    says === undefined ? 'its event is in a form that this version does not know' : says.words;
  if (asked?.isShown === false) {
    return `The receipt is genuine, but does not show that order ${asked.order} was cancelled: ${what}.`;
  }
  return showsCancellation(says)
    ? `Verified: ${what}.`
    : `The receipt is genuine, and not one of a cancellation: ${what}.`;
}

/** Returns the positions of a finding, to be put in front of its problem. */
export function placeOf({ from, to = from }: Finding): string {
  if (from === undefined) return '';
  return from === to ? `position ${from}: ` : `positions ${from} to ${to}: `;
}
