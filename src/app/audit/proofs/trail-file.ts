/**
 * The file of an exported trail: lines of CloudEvents, each ended by a line feed. The first is the
 * signed checkpoint, which states the number of events and their root. Then come all events in
 * order, from which the exact hashed bytes can be made. The last line is the seal, which reveals
 * any change to the file.
 */

import type { StoredFields } from '../../log/recorded-event.ts';
import type { DecodeStrictly } from '../../ports/evidence.ts';
import { bytesOf } from './bytes.ts';
import { noteLine, storedFieldsOf, storeIdIn } from './cloud-event.ts';
import { sha256InParts } from './crypto.ts';
import { type ExpectedHead, type Finding, plainTree, TrailCheck } from './trail-check.ts';
import { isSeal, problemOfSeal } from './trail-seal.ts';
import { type TreeHead, verifyCheckpoint } from './verifier.ts';

const CHECKPOINT = /^([^\n]+)\n(0|[1-9][0-9]{0,14})\n([A-Za-z0-9+/]{43}=)\n\n/;

/** Checks a trail's file, line by line. */
export class TrailFileCheck {
  /** The head stated by the first line. */
  readonly head: TreeHead;
  /** The log that the file claims to be of, and the store that it comes from. */
  readonly origin: string;
  readonly source: string;
  /** The key that has signed the checkpoint; `undefined` if no signature is checked. */
  readonly #key: string | undefined;
  readonly #check: TrailCheck;
  /** The digest of all lines before the seal. */
  readonly #lines = sha256InParts();
  #isSealed = false;

  private constructor(
    first: CheckpointLine,
    key: string | undefined,
    decode: DecodeStrictly,
    others: readonly ExpectedHead[],
  ) {
    const { head, origin, source, line } = first;
    this.head = head;
    this.origin = origin;
    this.source = source;
    this.#key = key;
    this.#lines.update(`${line}\n`);
    const own = { ...head, name: 'the checkpoint in it' };
    this.#check = new TrailCheck(decode, plainTree(), [own, ...others]);
  }

  /**
   * Begins the check with the first line.
   * @param keys One of these must have signed the checkpoint and the seal. Empty: no signature is
   *   checked, and the seal may be absent.
   * @param headsOf Returns the heads that the log with an origin must have had, according to other
   *   sources.
   */
  static begin(
    line: string,
    decode: DecodeStrictly,
    keys: readonly string[],
    headsOf: (origin: string) => readonly ExpectedHead[] = () => [],
  ): TrailFileCheck | Finding {
    const read = readCheckpointLine(line);
    if (read === undefined) return { problem: 'the first line is no checkpoint' };
    const verdicts = keys.map((key) => ({ key, verdict: verifyCheckpoint(read.note, key) }));
    const signed = verdicts.find(({ verdict }) => verdict.ok);
    const [refused] = verdicts.flatMap(({ verdict }) => (verdict.ok ? [] : [verdict.reason]));
    if (signed === undefined && refused !== undefined) {
      return { problem: `the checkpoint: ${refused}` };
    }
    return new TrailFileCheck(read, signed?.key, decode, headsOf(read.origin));
  }

  /** The number of correct events so far. */
  get size(): number {
    return this.#check.size;
  }

  /** Checks the next line. Returns its event, nothing for the seal, or a finding. */
  add(line: string): StoredFields | Finding | undefined {
    if (this.#isSealed) return { problem: 'there are lines after the seal' };
    if (isSeal(line)) return this.#seal(line);
    const from = this.size + 1;
    if (from > this.head.size) return { from, problem: 'it is beyond the end of the checkpoint' };
    this.#lines.update(`${line}\n`);
    let event: StoredFields;
    try {
      event = storedFieldsOf(line);
    } catch (error) {
      return { from, problem: `the line cannot be read: ${(error as Error).message}` };
    }
    const begin = JSON.stringify({
      specversion: '1.0',
      id: `${event.position}`,
      source: this.source,
    });
    if (!line.startsWith(begin.slice(0, -1))) return { from, problem: 'it is of another store' };
    return this.#check.add(event) ? event : (this.#check.findings()[0] as Finding);
  }

  /** Returns the finding, if any, at the end of the lines. */
  end(): Finding | undefined {
    const problem =
      'the seal, which is the last line, is missing: the end was cut off, or an earlier version ' +
      'wrote the file';
    const isWhole = this.#key === undefined || this.#isSealed;
    return this.#problemOfEvents() ?? (isWhole ? undefined : { problem });
  }

  #problemOfEvents(): Finding | undefined {
    this.#check.end();
    return this.#check.findings()[0];
  }

  #seal(line: string): Finding | undefined {
    this.#isSealed = true;
    const { origin, source, head } = this;
    if (this.size < head.size) return this.#problemOfEvents();
    if (this.#key === undefined) return undefined;
    const seal = {
      origin,
      storeId: storeIdIn(source),
      size: head.size,
      digest: this.#lines.digest(),
    };
    const problem = problemOfSeal(line, seal, this.#key);
    return problem === undefined ? undefined : { problem: `the seal: ${problem}` };
  }
}

/** Returns true for a finding, and false for a result. */
export function isFinding(result: object): result is Finding {
  return 'problem' in result;
}

interface CheckpointLine {
  readonly line: string;
  readonly note: string;
  readonly origin: string;
  readonly source: string;
  readonly head: TreeHead;
}

function readCheckpointLine(line: string): CheckpointLine | undefined {
  let read: Record<string, unknown>;
  try {
    read = Object(JSON.parse(line));
  } catch {
    return undefined;
  }
  const { data: note, source } = read;
  if (typeof note !== 'string' || typeof source !== 'string') return undefined;
  const found = CHECKPOINT.exec(note) as [string, string, string, string] | null;
  if (found === null) return undefined;
  const [, origin] = found;
  const [size, root] = [Number(found[2]), bytesOf(found[3])];
  // Like everything in a proof, it has one canonical form.
  const written = noteLine('Checkpoint', storeIdIn(source), size, note);
  return written === line ? { line, note, origin, source, head: { size, root } } : undefined;
}
