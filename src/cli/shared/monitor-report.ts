/** The reports, failures and alerts of a monitor. */

import type { Round } from '../../app/audit/monitor.ts';
import { type Failure, Forked, RefusedByService, Refuted, Unanswered } from './exit-codes.ts';
import { visible } from './print.ts';
import { placeOf } from './verify-report.ts';

/** A round, or the reason why it came to no end. */
export type Reported =
  | Round
  | { readonly kind: 'away'; readonly problem: string; readonly isRefused: boolean };

/** The files of the two checkpoints of a fork. */
export interface Evidence {
  readonly known: string;
  readonly other: string;
}

/** The reasons of an alert: `silent` if no round was verified for too long. */
export type Alert = 'forked' | 'refuted' | 'silent';

/** Returns the alert that a round leads to. */
export function alertOf({ kind }: Reported, isSilent: boolean): Alert | undefined {
  if (kind === 'forked' || kind === 'refuted') return kind;
  return isSilent ? 'silent' : undefined;
}

/** Returns the failure of a round; `undefined` if it has verified the log. */
export function failureOf(round: Reported): Failure | undefined {
  switch (round.kind) {
    case 'verified':
      return undefined;
    case 'forked':
      return new Forked(`The log has forked: ${round.problem}.`);
    case 'refuted': {
      const { finding } = round;
      const problem = visible(`${placeOf(finding)}${finding.problem}`);
      return new Refuted(`The log has published what cannot be right: ${problem}.`);
    }
    case 'behind':
      return new Unanswered(
        `The log has sent an earlier state: ${round.size} events, after ${round.known}.`,
      );
    case 'away': {
      const problem = visible(round.problem);
      return round.isRefused
        ? new RefusedByService(`The log has refused to answer: ${problem}.`)
        : new Unanswered(`The log has not answered: ${problem}.`);
    }
  }
}

/** Returns a round as a line of text and as an object. */
export function reportOf(round: Reported, at: string, evidence: Evidence | undefined) {
  const value = { at, ...round, ...evidence };
  const text = round.kind === 'verified' ? verifiedWords(round) : failureOf(round)?.message;
  return { value, text: `${at}  ${text}\n` };
}

function verifiedWords({ size, added, checked }: Extract<Round, { kind: 'verified' }>): string {
  const which = checked === undefined ? 'hashes' : 'hashes and records';
  return `${size} events verified, ${added} of them new: ${which}`;
}
