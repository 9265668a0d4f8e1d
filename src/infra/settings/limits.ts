/** The settings that bound what clients may hold of the service. */
import type { z } from 'zod';
import type { ReadLimits } from '../../app/read/bulkhead.ts';
import { millisecondsFrom, numberFrom, secondsFrom } from './config-values.ts';

/** The bounds on what clients may hold. */
export interface Limits {
  /** The connections that may be open at once; one more is refused. */
  readonly maxConnections: number;
  /** The connections of one address that may be open at once; 0: any number. */
  readonly maxPerAddress: number;
  /** The time for which the system may accept nothing more of an answer, in milliseconds. */
  readonly patienceMs: number;
  /** The bytes of the list that are kept as text. */
  readonly maxListTextBytes: number;
  /** The bytes of the list that are kept for clients who are still reading older versions of it. */
  readonly maxOldListBytes: number;
  /** The event streams that may be open at once. */
  readonly maxStreams: number;
  /** The event streams that may be open at once of an API key without a limit of its own. */
  readonly maxStreamsPerKey: number;
  /** The lists and other long reads that may be under way at once. */
  readonly reads: ReadLimits;
}

const bytes = numberFrom(0, 99_999_999_999, 'a number of bytes from');

/** The schemas of their variables. */
export const limits = {
  MAX_CONNECTIONS: numberFrom(1, 999_999).prefault('4000'),
  MAX_CONNECTIONS_PER_ADDRESS: numberFrom(0, 999_999).prefault('0'),
  STALL_TIMEOUT: secondsFrom(1, 3_600).prefault('30'),
  LIST_TEXT_BYTES: bytes.prefault('268435456'),
  OLD_LISTS_BYTES: bytes.prefault('67108864'),
  MAX_STREAMS: numberFrom(1, 99_999).prefault('100'),
  MAX_STREAMS_PER_KEY: numberFrom(1, 99_999).prefault('50'),
  MAX_READS: numberFrom(1, 9_999).prefault('4'),
  READ_WAIT_MS: millisecondsFrom(1).prefault('1000'),
};

/** Returns the bounds that variables set. */
export function limitsIn(data: z.output<z.ZodObject<typeof limits>>): Limits {
  return {
    maxConnections: data.MAX_CONNECTIONS,
    maxPerAddress: data.MAX_CONNECTIONS_PER_ADDRESS,
    patienceMs: data.STALL_TIMEOUT,
    maxListTextBytes: data.LIST_TEXT_BYTES,
    maxOldListBytes: data.OLD_LISTS_BYTES,
    maxStreams: data.MAX_STREAMS,
    maxStreamsPerKey: data.MAX_STREAMS_PER_KEY,
    reads: { maxReads: data.MAX_READS, maxWaitMs: data.READ_WAIT_MS },
  };
}
