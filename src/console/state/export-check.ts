/**
 * The check of an exported trail's file, which is read in pieces: the memory that it takes does not
 * depend on the file's length, but for 8 bytes of each {@link PART_EVENTS} events and the states of
 * the orders.
 */
import { textIn } from '../../app/audit/proofs/bytes.ts';
import type { Finding } from '../../app/audit/proofs/trail-check.ts';
import { isFinding, TrailFileCheck } from '../../app/audit/proofs/trail-file.ts';
import { isSeal } from '../../app/audit/proofs/trail-seal.ts';
import { readStoredEvent } from './event-reader.ts';
import { expectedHeads, YOURS } from './expected-heads.ts';
import { isolated } from './isolated.ts';
import { headWords, type Step, type Verified } from './proof-steps.ts';
import { Slices } from './slices.ts';

/** Events of one part of the file, as the list of events loads it. */
export const PART_EVENTS = 200;
/** The bytes that are read at once: no line is as long. */
const CHUNK_BYTES = 1 << 20;
const LINE_FEED = 10;

/** The places of events in a file. */
export interface ExportIndex {
  readonly file: Blob;
  readonly events: number;
  /** The first byte of each part. */
  readonly offsets: readonly number[];
  /** The first byte behind the last event. */
  readonly end: number;
}

export interface CheckedExport extends Verified {
  /** Present if all of the file is right. */
  readonly index?: ExportIndex;
}

export interface Progress {
  readonly bytes: number;
  readonly events: number;
}

export interface ExportInput {
  readonly file: Blob;
  readonly key: string;
  /** Checkpoints that the log must have had. */
  readonly notes: readonly string[];
  /** The texts of policies of witnesses, which no export can meet. */
  readonly policies?: readonly string[];
}

/**
 * Checks a file up to the first line that is wrong. Rejects with the reason of the signal if it is
 * aborted.
 */
export async function checkExport(
  input: ExportInput,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): Promise<CheckedExport> {
  const { file } = input;
  const check = new ExportCheck(input);
  const slices = new Slices(signal, onProgress);
  signal.throwIfAborted();
  for (let at = 0; at < file.size; ) {
    const bytes = new Uint8Array(await file.slice(at, at + CHUNK_BYTES).arrayBuffer());
    signal.throwIfAborted();
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    if (end === 0) return check.refused(bytes.length < CHUNK_BYTES ? CUT_OFF : TOO_LONG);
    for (let from = 0; from < end; ) {
      const to = bytes.indexOf(LINE_FEED, from);
      const refusal = check.add(bytes.subarray(from, to), at + from);
      if (refusal !== undefined) return refusal;
      from = to + 1;
      if (slices.isOver) await slices.restIfOver({ bytes: at + from, events: check.events });
    }
    at += end;
  }
  return check.end();
}

const CUT_OFF = 'the last line is cut off: nothing ends it';
const TOO_LONG = 'a line is too long to be an event';

/** The step of a policy beside an export. */
const UNWITNESSED: Step = {
  outcome: 'not checked',
  what: 'A quorum of the witnesses of the policy has cosigned the checkpoint.',
  reason:
    'a policy is for receipts, checkpoints and tiles: the checkpoint in an export has no cosignatures',
};

/** The steps of the check, in the order in which they are shown. */
const STEPS = ['checkpoint', 'events', 'yours', 'root', 'seal'] as const;
type StepName = (typeof STEPS)[number];

/** The steps that hold where one fails. The others are open: they were not checked to their ends. */
const HELD: Readonly<Record<StepName, readonly StepName[]>> = {
  checkpoint: [],
  events: ['checkpoint'],
  yours: ['checkpoint', 'events'],
  root: ['checkpoint', 'events'],
  seal: ['checkpoint', 'events', 'yours', 'root'],
};

class ExportCheck {
  readonly #input: ExportInput;
  readonly #offsets: number[] = [];
  #check: TrailFileCheck | undefined;
  #end = 0;

  constructor(input: ExportInput) {
    this.#input = input;
  }

  get events(): number {
    return this.#check?.size ?? 0;
  }

  /** Checks the next line. Returns the result of the whole check if it is wrong. */
  add(bytes: Uint8Array, offset: number): CheckedExport | undefined {
    const line = textIn(bytes);
    if (line === undefined) return this.refused('it is not UTF-8');
    const check = this.#check;
    if (check === undefined) return this.#begin(line);
    const result = check.add(line);
    if (result === undefined) {
      this.#end = offset;
      return undefined;
    }
    if (isFinding(result)) {
      const isOfEvent = result.from !== undefined && !isSeal(line);
      if (isOfEvent) return this.#resultOf('events', result);
      // The seal is of all lines: if an event was changed, the root says more.
      const finding = check.end() ?? result;
      return this.#resultOf(stepOfEnd(finding), finding);
    }
    if ((check.size - 1) % PART_EVENTS === 0) this.#offsets.push(offset);
    return undefined;
  }

  /** Returns the result behind the last line. */
  end(): CheckedExport {
    const check = this.#check;
    if (check === undefined) return this.refused('there is nothing in it');
    const finding = check.end();
    if (finding !== undefined) return this.#resultOf(stepOfEnd(finding), finding);
    const index = {
      file: this.#input.file,
      events: check.size,
      offsets: this.#offsets,
      end: this.#end,
    };
    return { steps: this.#steps(STEPS), index };
  }

  refused(problem: string): CheckedExport {
    return this.#resultOf(this.#check === undefined ? 'checkpoint' : 'events', { problem });
  }

  /** Begins with the first line, which has the epoch that checkpoints are compared in. */
  #begin(line: string): CheckedExport | undefined {
    const { key, notes } = this.#input;
    const edited = editedProblem(line);
    if (edited !== undefined) return this.refused(edited);
    const refusals: Finding[] = [];
    const begun = TrailFileCheck.begin(line, readStoredEvent, [key], (origin) => {
      const heads = expectedHeads(notes, key, origin);
      if (!isFinding(heads)) return heads;
      refusals.push(heads);
      return [];
    });
    if (isFinding(begun)) return this.#resultOf('checkpoint', begun);
    this.#check = begun;
    const [refusal] = refusals;
    // No event is read then.
    return refusal && this.#resultOf('yours', refusal, HELD.events);
  }

  #resultOf(failed: StepName, { from, to, problem }: Finding, held = HELD[failed]): CheckedExport {
    const range = to === undefined || to === from ? `${from}` : `${from} to ${to}`;
    const reason = from === undefined ? problem : `position ${range}: ${problem}`;
    return { steps: this.#steps(held, failed, reason) };
  }

  #steps(held: readonly StepName[], failed?: StepName, reason = ''): readonly Step[] {
    const words = this.#words();
    const names = STEPS.filter((name) => name !== 'yours' || this.#input.notes.length > 0);
    const steps = names.map((name): Step => {
      const what = words[name];
      if (name === failed) return { outcome: 'failed', what, reason };
      return { outcome: held.includes(name) ? 'ok' : 'not checked', what };
    });
    const { policies = [] } = this.#input;
    return policies.length === 0 ? steps : [...steps, UNWITNESSED];
  }

  #words(): Readonly<Record<StepName, string>> {
    const { head, origin = '', source = '' } = this.#check ?? {};
    const known = head === undefined ? '' : `: ${headWords({ origin, ...head })}`;
    return {
      checkpoint: `The checkpoint in the first line is signed by this key${known}.`,
      events:
        `Each line is an event of the store ${isolated(source)} in its one form, in order, and one that ` +
        'a command can lead to.',
      yours: 'The log has all that your checkpoints are of, unchanged.',
      root: 'The events are all those of the checkpoint, and have its root.',
      seal: 'The seal is signed by this key, and no line before it was changed.',
    };
  }
}

/** Returns the reason why the first line is not as it was written, if a program for texts has saved it. */
function editedProblem(line: string): string | undefined {
  if (line === '') return 'the first line is no checkpoint: there is an empty line';
  if (line.startsWith('\uFEFF')) {
    return 'the first line is no checkpoint: a byte order mark is before it';
  }
  return line.endsWith('\r') ? 'a line ends with a carriage return' : undefined;
}

/** Returns the step that a finding behind the last event is of. */
function stepOfEnd({ from, problem }: Finding): StepName {
  if (from === undefined) return 'seal';
  return problem.includes(YOURS) ? 'yours' : 'root';
}
