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
  /** The time for which a client may take nothing of an answer, in milliseconds. */
  readonly patienceMs: number;
  /** The bytes of the list that are kept for clients who are still reading older versions of it. */
  readonly maxOldListBytes: number;
  /** The event streams that may be open at once. */
  readonly maxStreams: number;
  /** The same, of an API key that has no limit of its own. */
  readonly maxStreamsPerKey: number;
  /** The lists and other long reads that may be under way at once. */
  readonly reads: ReadLimits;
}

const MAX_CONNECTIONS = 4_000;
const STALL_TIMEOUT_MS = 30_000;
const OLD_LISTS_BYTES = 67_108_864;
const MAX_STREAMS = 100;
const MAX_STREAMS_PER_KEY = 50;
const MAX_READS = 4;
const READ_WAIT_MS = 1_000;

/** The schemas of their variables. */
export const limits = {
  MAX_CONNECTIONS: numberTo(999_999, 'must be a whole number from 1 to 999999', 1).default(
    MAX_CONNECTIONS,
  ),
  MAX_CONNECTIONS_PER_ADDRESS: numberTo(999_999, 'must be a whole number from 0 to 999999').default(
    0,
  ),
  STALL_TIMEOUT: numberTo(3_600, 'must be a whole number of seconds from 1 to 3600', 1)
    .transform(inMs)
    .default(STALL_TIMEOUT_MS),
  OLD_LISTS_BYTES: numberTo(
    99_999_999_999,
    'must be a number of bytes from 0 to 99999999999',
  ).default(OLD_LISTS_BYTES),
  MAX_STREAMS: numberTo(99_999, 'must be a whole number from 1 to 99999', 1).default(MAX_STREAMS),
  MAX_STREAMS_PER_KEY: numberTo(99_999, 'must be a whole number from 1 to 99999', 1).default(
    MAX_STREAMS_PER_KEY,
  ),
  MAX_READS: numberTo(9_999, 'must be a whole number from 1 to 9999', 1).default(MAX_READS),
  READ_WAIT_MS: durationMs.default(READ_WAIT_MS),
};

/** Returns the bounds that variables set. */
export function limitsIn(data: z.output<z.ZodObject<typeof limits>>): Limits {
  return {
    maxConnections: data.MAX_CONNECTIONS,
    maxPerAddress: data.MAX_CONNECTIONS_PER_ADDRESS,
    patienceMs: data.STALL_TIMEOUT,
    maxOldListBytes: data.OLD_LISTS_BYTES,
    maxStreams: data.MAX_STREAMS,
    maxStreamsPerKey: data.MAX_STREAMS_PER_KEY,
    reads: { maxReads: data.MAX_READS, maxWaitMs: data.READ_WAIT_MS },
  };
}
