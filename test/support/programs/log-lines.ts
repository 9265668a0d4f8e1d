import { createLogger } from '../../../src/infra/process/logger.ts';

/** Logs the given number of lines, flushes them if asked to, and exits without waiting. */
const [count = '0', end = 'flush'] = process.argv.slice(2);
const { logger, flush } = createLogger('info');
for (let line = 0; line < Number(count); line++) {
  logger.info(end === 'exit' ? { line, said: Date.now() } : { line }, 'a line');
}
// Delays serialization, so that a line's time differs from that of its serialization.
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30);
if (end === 'flush') await flush();
process.exit(0);
