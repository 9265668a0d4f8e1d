import { sourceOf, storedFieldsOf } from './cloud-event.ts';
import type { DecodeStrictly } from './event-rules.ts';
import type { SignedCheckpoint } from './prover.ts';
import type { StoredFields } from './record.ts';
import { type ExpectedHead, type Finding, PlainTree, TrailCheck } from './trail-check.ts';
import { type TreeHead, verifyCheckpoint } from './verifier.ts';

/**
 * A trail as a file: lines of CloudEvents. The first has the signed checkpoint, which says how many
 * others there are and what their root is; then comes every event, in order. Each leads back to the
 * exact bytes that were hashed.
 */

/** The first line of a trail's file; each other one is a {@link cloudEventOf}. */
export function checkpointLine(storeId: string, { size, note }: SignedCheckpoint): string {
  return JSON.stringify({
    specversion: '1.0',
    id: `checkpoint-${size}`,
    source: sourceOf(storeId),
    type: 'Checkpoint',
    datacontenttype: 'text/plain',
    data: note,
  });
}

const CHECKPOINT = /^[^\n]+\n(0|[1-9][0-9]{0,14})\n([A-Za-z0-9+/]{43}=)\n\n/;

/** Reads a trail's file line by line and checks that it is whole. */
export class TrailFileCheck {
  /** What the file says of itself in its first line. */
  readonly head: TreeHead;
  readonly #source: string;
  readonly #check: TrailCheck;

  private constructor(
    head: TreeHead,
    source: string,
    decode: DecodeStrictly,
    others: readonly ExpectedHead[],
  ) {
    this.head = head;
    this.#source = source;
    const own = { ...head, name: 'the checkpoint in it' };
    this.#check = new TrailCheck(decode, new PlainTree(), [own, ...others]);
  }

  /**
   * Begins with the first line.
   * @param keys One of these has to have signed the checkpoint; none: whoever signed it.
   * @param others What the trail was at other sizes, by other accounts.
   */
  static begin(
    line: string,
    decode: DecodeStrictly,
    keys: readonly string[],
    others: readonly ExpectedHead[] = [],
  ): TrailFileCheck | Finding {
    const read = readCheckpointLine(line);
    if (read === undefined) return { problem: 'the first line is no checkpoint' };
    const { note, source } = read;
    const refusals = keys.flatMap((key) => {
      const verdict = verifyCheckpoint(note, key);
      return verdict.ok ? [] : [verdict.reason];
    });
    if (keys.length > 0 && refusals.length === keys.length) {
      return { problem: `the checkpoint: ${refusals[0]}` };
    }
    return new TrailFileCheck(read.head, source, decode, others);
  }

  /** How many events were right so far. */
  get size(): number {
    return this.#check.size;
  }

  /** Checks the next line: the event in it, or what is wrong. */
  add(line: string): StoredFields | Finding {
    const from = this.size + 1;
    if (from > this.head.size) return { from, problem: 'it is behind the end of the checkpoint' };
    let event: StoredFields;
    try {
      event = storedFieldsOf(line);
    } catch (error) {
      return { from, problem: `the line cannot be read: ${(error as Error).message}` };
    }
    const begin = JSON.stringify({
      specversion: '1.0',
      id: `${event.position}`,
      source: this.#source,
    });
    if (!line.startsWith(begin.slice(0, -1))) return { from, problem: 'it is of another store' };
    return this.#check.add(event) ? event : (this.#check.findings()[0] as Finding);
  }

  /** What is wrong when there are no more lines. */
  end(): Finding | undefined {
    this.#check.end();
    return this.#check.findings()[0];
  }
}

/** Whether it is something that is wrong, and not what was asked for. */
export function isFinding(result: object): result is Finding {
  return 'problem' in result;
}

function readCheckpointLine(line: string) {
  let read: Record<string, unknown>;
  try {
    read = Object(JSON.parse(line));
  } catch {
    return undefined;
  }
  const [note, source] = [String(read.data), String(read.source)];
  const found = CHECKPOINT.exec(note) as [string, string, string] | null;
  if (found === null) return undefined;
  const [size, root] = [Number(found[1]), Buffer.from(found[2], 'base64')];
  // It has one form only, as everything that is proven by.
  const written = checkpointLine(source.slice(sourceOf('').length), { size, note });
  return written === line ? { source, note, head: { size, root } } : undefined;
}
