import { Bulkhead } from '../../src/app/read/bulkhead.ts';
import type { DelayLimits } from '../../src/app/write/queue/controlled-delay.ts';

/**
 * Limits for tests that are not about overload: on a machine that runs many tests at once, commands and
 * lists wait longer than a service would let them, and that is not what they test.
 */
export const PATIENT: DelayLimits = { targetMs: 50, intervalMs: 60_000 };

/** Takes any number of reads at once. */
export const BOUNDLESS = new Bulkhead({ maxReads: Infinity, maxWaitMs: 0 }, async () => {});
