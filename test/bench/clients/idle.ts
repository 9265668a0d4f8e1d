import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * A process that does nothing but measure how late its timer is: the part of a delay that comes from the
 * machine. It answers each message with the longest delay since the previous one, in milliseconds.
 */

const intervalMs = Number(process.argv[2]);
const delays = monitorEventLoopDelay({ resolution: intervalMs });
delays.enable();
process.on('message', () => {
  process.send?.(Math.max(0, delays.max / 1e6 - intervalMs));
  delays.reset();
});
