import type { DecodeStrictly } from '../app/audit/event-rules.ts';
import type { StoredFields } from '../app/audit/record.ts';
import type { ExpectedHead, Finding } from '../app/audit/trail-check.ts';
import { isFinding, TrailFileCheck } from '../app/audit/trail-file.ts';
import type { Output } from './command-line.ts';
import { openFile } from './import-lines.ts';
import { withProgress } from './progress.ts';
import { readStrictLines } from './strict-lines.ts';

/** How a trail's file is read. */
export interface TrailReading {
  readonly decode: DecodeStrictly;
  /** One of these has to have signed it; none: nothing that is signed is checked. */
  readonly keys: readonly string[];
  /** What the trail was at other sizes, by other accounts. */
  readonly heads?: readonly ExpectedHead[];
  /** Is handed all events that are right, many at a time. */
  take?(events: readonly StoredFields[]): void | Promise<void>;
}

/** What a trail's file came to. */
export type TrailRead =
  /** All that is in it is right. */
  | (SignedTrail & {
      readonly size: number;
      readonly root: Uint8Array;
      readonly finding?: undefined;
    })
  /** So many events were right, from the first on. */
  | { readonly size: number; readonly root?: undefined; readonly finding: Finding };

/** What a trail's file says of itself, beside its events. */
export interface SignedTrail {
  readonly origin: string;
  readonly source: string;
}

/** Reads a trail's file, and checks it, up to the first line that is wrong. */
export async function readTrail(
  file: string,
  label: string,
  stderr: Output,
  reading: TrailReading,
): Promise<TrailRead> {
  const input = await openFile(file);
  try {
    const { size } = await input.stat();
    return await withProgress(stderr, label, size, async (advance) => {
      let check: TrailFileCheck | undefined;
      for await (const { lines, bytes, problem } of readStrictLines(input)) {
        const events: StoredFields[] = [];
        for (const line of lines) {
          const result = check === undefined ? begin(line, reading) : check.add(line);
          if (result instanceof TrailFileCheck) check = result;
          else if (result !== undefined && isFinding(result)) return refuted(check, result);
          else if (result !== undefined) events.push(result);
        }
        if (problem !== undefined) return refuted(check, { problem });
        await reading.take?.(events);
        advance(bytes);
      }
      if (check === undefined) return refuted(check, { problem: 'there is nothing in it' });
      const { size, head, origin, source } = check;
      const finding = check.end();
      return finding === undefined ? { size, root: head.root, origin, source } : { size, finding };
    });
  } finally {
    await input.close();
  }
}

function refuted(check: TrailFileCheck | undefined, finding: Finding): TrailRead {
  return { size: check?.size ?? 0, finding };
}

function begin(line: string, { decode, keys, heads }: TrailReading) {
  return TrailFileCheck.begin(line, decode, keys, heads);
}
