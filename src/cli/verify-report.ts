import type { Finding } from '../app/audit/trail-check.ts';
import type { SignedTrail } from './trail-lines.ts';

/** What was checked, and what came of it. */
export interface Report {
  readonly checked: 'store' | 'export' | 'receipt';
  /** The store's id. */
  readonly store?: string;
  /** How many events are right, from the first on; and their root, where it is known. */
  readonly events?: number;
  readonly root?: string | undefined;
  /** Of an export: who has signed it, with every line in it, and which store it is from. */
  readonly exported?: ({ readonly file: string } & SignedTrail) | undefined;
  /** Of a receipt: where its event stands, and the event. */
  readonly position?: number;
  readonly record?: string;
  /** What somebody has signed. */
  readonly checkpoints: readonly SignedFile[];
  readonly findings: readonly Finding[];
}

interface SignedFile {
  readonly file: string;
  readonly origin: string;
  readonly size: number;
}

/** A report for programs. */
export function asJson(report: Report): string {
  return `${JSON.stringify({ ok: report.findings.length === 0, ...report }, null, 2)}\n`;
}

/** A report for people. */
export function asText({ findings, checkpoints, ...report }: Report): string {
  const { events, root, exported, position, record } = report;
  const are = findings.length === 0 ? 'are as they must be' : "keep the log's own rules";
  const lines = [
    ...(events === undefined ? [] : [`${events} events ${are}.`]),
    ...(root === undefined ? [] : [`Their root is ${root}`]),
    ...(exported === undefined
      ? []
      : [
          `${exported.file} is from ${exported.source}, signed by ${exported.origin}, every line of it.`,
        ]),
    ...(position === undefined ? [] : [`Position ${position}: ${record}`]),
    ...checkpoints.map(({ file, origin, size }) => {
      return `${file} is signed by ${origin}, for ${size} events.`;
    }),
    ...findings.map((finding) => `${placeOf(finding)}${finding.problem}`),
    findings.length === 0 ? 'All is as it must be.' : 'Not all is as it must be.',
  ];
  return `${lines.join('\n')}\n`;
}

/** Where something is wrong, in front of what is wrong. */
export function placeOf({ from, to = from }: Finding): string {
  if (from === undefined) return '';
  return from === to ? `position ${from}: ` : `positions ${from} to ${to}: `;
}
