import { asText } from './text.ts';

/** Operations on an event store: drawn at random, or written by a user. */

/** An operation on a store. Streams have indexes from 0, by their names in {@link STREAM_NAMES}. */
export type StoreOperation<Event> =
  /**
   * `off` is added to the version of the stream: 0 expects the right one. What is expected stays between 0 and
   * the largest safe integer.
   */
  | { do: 'append'; stream: number; off: number; events: readonly Event[] }
  /**
   * Appends several at once, which all expect the version of the stream, and `beside` to the next stream.
   * An idempotent store gets the first one twice.
   */
  | {
      do: 'race';
      stream: number;
      several: readonly (readonly Event[])[];
      beside?: readonly Event[] | undefined;
    }
  /** Repeats an append, by the index of those that were recorded, modulo their number. */
  | { do: 'repeat'; which: number }
  /**
   * Sends the id of an append, by the index of all that were sent, modulo their number, with events that were
   * decided anew, and the version that the stream has now: after a conflict, or a lost answer.
   */
  | { do: 'retry'; which: number; events: readonly Event[] }
  | { do: 'reopen' };

const KINDS = ['append', 'race', 'repeat', 'retry', 'reopen'];

/** The streams of most programs. */
const PLAIN_NAMES = ['stream-1', 'stream-2', 'stream-3'] as const;

/** The first stream, and names that a careless store takes for it or for each other. */
export const STREAM_NAMES: readonly string[] = [
  ...PLAIN_NAMES,
  ...['stream-10', 'Stream-1', 'stream_1'],
  // The same letter, composed and decomposed.
  ...['stream-\u00e9', 'stream-e\u0301'],
];

export const PLAIN_STREAMS = PLAIN_NAMES.length;

/** Throws a RangeError unless operations that a user has written can run. */
export function requireOperations(ops: readonly StoreOperation<unknown>[]): void {
  if (!Array.isArray(ops)) throw new RangeError('a program for a store is an array of operations');
  for (const op of ops as readonly StoreOperation<unknown>[]) {
    const { do: kind } = Object(op);
    if (!KINDS.includes(kind)) {
      throw new RangeError(`an operation does one of ${KINDS.join(', ')}, and not ${kind}`);
    }
    if ('stream' in op && !isIndex(op.stream, STREAM_NAMES.length)) {
      const last = STREAM_NAMES.length - 1;
      throw new RangeError(`a stream has an index from 0 to ${last}, and not ${op.stream}`);
    }
    if ('which' in op && !isIndex(op.which)) {
      throw new RangeError(`an append has an index from 0, and not ${op.which}`);
    }
    if ('off' in op && !Number.isSafeInteger(op.off)) {
      throw new RangeError(`a version is off by a whole number, and not by ${op.off}`);
    }
  }
}

function isIndex(value: unknown, end = Infinity): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < end;
}

export function inWords(op: StoreOperation<unknown>): string {
  switch (op.do) {
    case 'append':
      return `append ${asText(op.events)} to ${nameOf(op.stream)}, expecting ${versionInWords(op.off)}`;
    case 'race': {
      const beside = op.beside && `, and ${asText(op.beside)} to ${nameOf(nextStream(op.stream))}`;
      const several = op.several.map(asText).join(' and ');
      return `append ${several} to ${nameOf(op.stream)}${beside ?? ''}, at once`;
    }
    case 'repeat':
      return 'repeat an earlier append';
    case 'retry':
      return `append ${asText(op.events)} under the id of an earlier append, expecting the version`;
    case 'reopen':
      return 'kill, and reopen';
  }
}

function versionInWords(off: number): string {
  if (off === 0) return 'the version';
  if (Math.abs(off) === Number.MAX_SAFE_INTEGER) return `${Math.max(0, off)}`;
  const count = Math.abs(off) === 1 ? 'one' : Math.abs(off);
  return `${count} ${off < 0 ? 'less' : 'more'} than the version`;
}

/** Returns the version that an append expects. */
export function expectedBy(off: number, version: number): number {
  return Math.min(Math.max(0, version + off), Number.MAX_SAFE_INTEGER);
}

/** Returns the stream of an append beside a race: the next one, or the first one, which is like the others. */
export function nextStream(stream: number): number {
  return stream < PLAIN_STREAMS ? (stream + 1) % PLAIN_STREAMS : 0;
}

export function nameOf(stream: number): string {
  return STREAM_NAMES[stream] as string;
}
