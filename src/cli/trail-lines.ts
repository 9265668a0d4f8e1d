import type { DecodeStrictly } from '../app/audit/event-rules.ts';
import type { StoredFields } from '../app/audit/record.ts';
import type { ExpectedHead, Finding } from '../app/audit/trail-check.ts';
import { isFinding, TrailFileCheck } from '../app/audit/trail-file.ts';
import type { Output } from './command-line.ts';
import { openFile, readLines } from './import-lines.ts';
import { withProgress } from './progress.ts';

/** How a trail's file is read. */
export interface TrailReading {
  readonly decode: DecodeStrictly;
  /** One of these has to have signed it; none: whoever signed it. */
  readonly keys: readonly string[];
  /** What the trail was at other sizes, by other accounts. */
  readonly heads?: readonly ExpectedHead[];
  /** Is handed all events that are right, many at a time. */
  take?(events: readonly StoredFields[]): void;
}

/** What a trail's file came to. */
export interface TrailRead {
  /** How many events are right, from the first on. */
  readonly size: number;
  readonly root: Uint8Array | undefined;
  /** What is not right, if anything. */
  readonly finding: Finding | undefined;
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
      for await (const { lines, bytes } of readLines(input)) {
        const events: StoredFields[] = [];
        for (const line of lines.filter((text) => text !== '')) {
          const result = check === undefined ? begin(line, reading) : check.add(line);
          if (isFinding(result)) {
            return { size: check?.size ?? 0, root: undefined, finding: result };
          }
          if (result instanceof TrailFileCheck) check = result;
          else events.push(result);
        }
        reading.take?.(events);
        advance(bytes);
      }
      if (check === undefined) return NOTHING;
      return { size: check.size, root: check.head.root, finding: check.end() };
    });
  } finally {
    await input.close();
  }
}

const NOTHING: TrailRead = {
  size: 0,
  root: undefined,
  finding: { problem: 'there is nothing in it' },
};

function begin(line: string, { decode, keys, heads }: TrailReading) {
  return TrailFileCheck.begin(line, decode, keys, heads);
}
