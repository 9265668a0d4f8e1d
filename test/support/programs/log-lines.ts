import { createLogger } from '../../../src/infra/logger.ts';

/** Logs so many lines, flushes them if it is told to, and exits without waiting for anything. */
const [count = '0', end = 'flush'] = process.argv.slice(2);
const { logger, flush } = createLogger('info');
for (let line = 0; line < Number(count); line++) {
  logger.info(end === 'exit' ? { line, said: Date.now() } : { line }, 'a line');
}
// By the time that they are put into JSON, they were said a while ago.
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30);
if (end === 'flush') await flush();
process.exit(0);
