/** The settings that bound what clients may hold of the service. */
import type { z } from 'zod';
import type { ReadLimits } from '../../app/read/bulkhead.ts';
import { durationMs, inMs, numberTo } from './config-values.ts';

/** The bounds on what clients may hold. */
export interface Limits {
  /** The connections that may be open at once; one more is refused. */
  readonly maxConnections: number;
  /** The same of one address; 0: any number. */
  readonly maxPerAddress: number;
  /** The time for which the system may accept nothing more of an answer, in milliseconds. */
  readonly patienceMs: number;
  /** The bytes of the list that are kept as text. */
  readonly maxListTextBytes: number;
  /** The bytes of the list that are kept for clients who are still reading older versions of it. */
  readonly maxOldListBytes: number;
  /** The event streams that may be open at once. */
  readonly maxStreams: number;
  /** The same, of an API key that has no limit of its own. */
  readonly maxStreamsPerKey: number;
  /** The lists and other long reads that may be under way at once. */
  readonly reads: ReadLimits;
}

/** The schemas of their variables. */
export const limits = {
  MAX_CONNECTIONS: numberTo(999_999, 'must be a whole number from 1 to 999999', 1).prefault('4000'),
  MAX_CONNECTIONS_PER_ADDRESS: numberTo(
    999_999,
    'must be a whole number from 0 to 999999',
  ).prefault('0'),
  STALL_TIMEOUT: numberTo(3_600, 'must be a whole number of seconds from 1 to 3600', 1)
    .transform(inMs)
    .prefault('30'),
  LIST_TEXT_BYTES: numberTo(
    99_999_999_999,
    'must be a number of bytes from 0 to 99999999999',
  ).prefault('268435456'),
  OLD_LISTS_BYTES: numberTo(
    99_999_999_999,
    'must be a number of bytes from 0 to 99999999999',
  ).prefault('67108864'),
  MAX_STREAMS: numberTo(99_999, 'must be a whole number from 1 to 99999', 1).prefault('100'),
  MAX_STREAMS_PER_KEY: numberTo(99_999, 'must be a whole number from 1 to 99999', 1).prefault('50'),
  MAX_READS: numberTo(9_999, 'must be a whole number from 1 to 9999', 1).prefault('4'),
  READ_WAIT_MS: durationMs.prefault('1000'),
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
