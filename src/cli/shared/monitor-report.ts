/** The reports, failures and alerts of a monitor. */

import type { Cut, Round } from '../../app/audit/monitor/monitor-round.ts';
import {
  type Failure,
  forked,
  logCut,
  refusedByService,
  refuted,
  unanswered,
} from './exit-codes.ts';
import { visible } from './print.ts';
import { placeOf } from './verify-report.ts';

/** A round, or the reason why it came to no end. */
export type Reported =
  | Round
  | { readonly kind: 'away'; readonly problem: string; readonly isRefused: boolean };

/** The files of the two checkpoints of a fork or a cut, or of the one that the log has contradicted. */
export interface CheckpointFiles {
  readonly known?: string;
  readonly other: string;
}

/** The reasons of an alert: `silent` if no round was verified for too long. */
export type Alert = 'forked' | 'cut' | 'refuted' | 'silent';

/** Returns the alert that a round leads to. */
export function alertOf({ kind }: Reported, isSilent: boolean): Alert | undefined {
  if (kind === 'forked' || kind === 'cut' || kind === 'refuted') return kind;
  return isSilent ? 'silent' : undefined;
}

/** Returns the failure of a round; `undefined` if it has verified the log. */
export function failureOf(round: Reported): Failure | undefined {
  switch (round.kind) {
    case 'verified':
      return undefined;
    case 'forked':
      return forked(`The log has forked: ${round.problem}.`);
    case 'cut':
      return logCut(
        `The log was cut: ${cutWords(round)}. If that is accepted: --accept-epoch ${round.epoch}`,
      );
    case 'refuted': {
      const { finding } = round;
      const problem = visible(`${placeOf(finding)}${finding.problem}`);
      return refuted(`The log has published what cannot be right: ${problem}.`);
    }
    case 'behind':
      return unanswered(
        `The log has sent an earlier state: ${round.size} events, after ${round.known}.`,
      );
    case 'away': {
      const problem = visible(round.problem);
      return round.isRefused
        ? refusedByService(`The log has refused to answer: ${problem}.`)
        : unanswered(`The log has not answered: ${problem}.`);
    }
  }
}

/** Returns a round as a line of text and as an object. */
export function reportOf(round: Reported, at: string, files: CheckpointFiles | undefined) {
  const value = { at, ...round, ...files };
  const text = round.kind === 'verified' ? verifiedWords(round) : failureOf(round)?.message;
  return { value, text: `${at}  ${text}\n` };
}

function verifiedWords(round: Extract<Round, { kind: 'verified' }>): string {
  const { size, added, checked, cut } = round;
  const which = checked === undefined ? 'hashes' : 'hashes and records';
  const behind = cut === undefined ? '' : `; the log was cut: ${cutWords(cut)}`;
  return `${size} events verified, ${added} of them new: ${which}${behind}`;
}

function cutWords({ epoch, kept, known: { size } }: Cut): string {
  const which =
    kept === undefined
      ? `and how many of ${size} known events it has is not known any more`
      : `with the first ${kept} of ${size} known events`;
  return `it goes on in epoch ${epoch}, ${which}`;
}
