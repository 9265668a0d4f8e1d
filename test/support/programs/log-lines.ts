import { createLogger } from '../../../src/infra/logger.ts';

/** Logs so many lines, flushes them if it is told to, and exits without waiting for anything. */
const [count = '0', end = 'flush'] = process.argv.slice(2);
const { logger, flush } = createLogger('info');
for (let line = 0; line < Number(count); line++) logger.info({ line }, 'a line');
if (end === 'flush') await flush();
process.exit(0);
