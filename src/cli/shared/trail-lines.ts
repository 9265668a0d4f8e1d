/** The reading of a trail's file, with its checks. */

import type { FileHandle } from 'node:fs/promises';
import type { ExpectedHead, Finding } from '../../app/audit/proofs/trail-check.ts';
import { isFinding, TrailFileCheck } from '../../app/audit/proofs/trail-file.ts';
import type { StoredFields } from '../../app/log/recorded-event.ts';
import type { DecodeStrictly } from '../../app/ports/evidence.ts';
import type { Output } from './command-line.ts';
import { readStrictLines } from './lines.ts';
import { withProgress } from './progress.ts';

interface TrailReading {
  readonly decode: DecodeStrictly;
  /** One of these must have signed it; none: no signature is checked. */
  readonly keys: readonly string[];
  /** Returns the heads that the log with an origin must have had, by other accounts. */
  headsOf?(origin: string): readonly ExpectedHead[];
  /** Called with all right events, many at a time. */
  take?(events: readonly StoredFields[]): void | Promise<void>;
}

type TrailRead =
  /** The whole file is right. */
  | (SignedTrail & {
      readonly size: number;
      readonly root: Uint8Array;
      readonly finding?: undefined;
    })
  /** `size` events, from the first, were right. */
  | { readonly size: number; readonly root?: undefined; readonly finding: Finding };

/** The statements in a trail's file about itself. */
export interface SignedTrail {
  readonly origin: string;
  readonly source: string;
}

/** Reads and checks a trail's file, up to the first line that is wrong. */
export async function readTrail(
  input: FileHandle,
  label: string,
  stderr: Output,
  { decode, keys, headsOf, take }: TrailReading,
): Promise<TrailRead> {
  const { size } = await input.stat();
  return withProgress(stderr, label, size, async (advance) => {
    let check: TrailFileCheck | undefined;
    for await (const { lines, bytes, problem } of readStrictLines(input)) {
      const events: StoredFields[] = [];
      for (const line of lines) {
        const result =
          check === undefined ? TrailFileCheck.begin(line, decode, keys, headsOf) : check.add(line);
        if (result instanceof TrailFileCheck) check = result;
        else if (result !== undefined && isFinding(result)) return rightUpTo(check, result);
        else if (result !== undefined) events.push(result);
      }
      if (problem !== undefined) return rightUpTo(check, { problem });
      await take?.(events);
      advance(bytes);
    }
    if (check === undefined) return rightUpTo(check, { problem: 'there is nothing in it' });
    const { size, head, origin, source } = check;
    const finding = check.end();
    return finding === undefined ? { size, root: head.root, origin, source } : { size, finding };
  });
}

function rightUpTo(check: TrailFileCheck | undefined, finding: Finding): TrailRead {
  return { size: check?.size ?? 0, finding };
}
