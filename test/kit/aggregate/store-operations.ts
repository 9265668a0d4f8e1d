import fc, { type Arbitrary } from 'fast-check';
import { asText } from './text.ts';

/** Operations on an event store: drawn at random, or written by a user. */

/** An operation on a store. Streams have indexes from 0 to 2. */
export type StoreOperation<Event> =
  /** `off` is added to the version of the stream: 0 expects the right one. */
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
  | { do: 'reopen' };

const MAX_OPS = 20;
export const STREAMS = 3;
const KINDS = ['append', 'race', 'repeat', 'reopen'];

/** Throws a RangeError unless operations that a user has written can run. */
export function requireOperations(ops: readonly StoreOperation<unknown>[]): void {
  for (const op of ops) {
    if (!KINDS.includes(op.do)) {
      throw new RangeError(`an operation does one of ${KINDS.join(', ')}, and not ${op.do}`);
    }
    if (op.do === 'repeat' || op.do === 'reopen') continue;
    if (Number.isSafeInteger(op.stream) && op.stream >= 0 && op.stream < STREAMS) continue;
    throw new RangeError(`a stream has an index from 0 to ${STREAMS - 1}, and not ${op.stream}`);
  }
}

export function opsOf<Event>(event: Arbitrary<Event>): Arbitrary<readonly StoreOperation<Event>[]> {
  const events = fc.array(event, { minLength: 1, maxLength: 3 });
  const stream = fc.nat({ max: STREAMS - 1 });
  // Mostly the right version: one too low was overtaken, and one too high is a mistake.
  const off = fc.constantFrom(0, 0, 0, -1, 1);
  const several = fc.array(events, { minLength: 2, maxLength: 4 });
  const op = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constant('append' as const), stream, off, events }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        ...{ do: fc.constant('race' as const), stream, several },
        beside: fc.option(events, { nil: undefined }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('repeat' as const), which: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
  );
  return fc.array(op, { minLength: 1, maxLength: MAX_OPS });
}

export function inWords(op: StoreOperation<unknown>): string {
  switch (op.do) {
    case 'append': {
      const version = ['one less than the version', 'the version', 'one more than the version'][
        op.off + 1
      ];
      return `append ${asText(op.events)} to stream ${op.stream + 1}, expecting ${version}`;
    }
    case 'race': {
      const beside =
        op.beside && `, and ${asText(op.beside)} to stream ${nextStream(op.stream) + 1}`;
      const several = op.several.map(asText).join(' and ');
      return `append ${several} to stream ${op.stream + 1}${beside ?? ''}, at once`;
    }
    case 'repeat':
      return 'repeat an earlier append';
    case 'reopen':
      return 'kill, and reopen';
  }
}

export function nextStream(stream: number): number {
  return (stream + 1) % STREAMS;
}

export function nameOf(stream: number): string {
  return `stream-${stream + 1}`;
}
