import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { createLogger } from '../../../src/infra/process/logger.ts';

/**
 * Logs to a file, the argument, on which standard output is appended and which has no room for all lines.
 * What the file has by then is put in a second file, and the first is emptied, which makes room.
 */
const [file = ''] = process.argv.slice(2);
const { logger, flush } = createLogger('info');
for (let line = 0; line < 300; line++) {
  logger.info({ line }, 'a line');
  if (line % 100 === 99) await flush();
}
writeFileSync(`${file}-before`, readFileSync(file));
truncateSync(file);
logger.info({ line: 300 }, 'a line');
await flush();
logger.info({ line: 301 }, 'a line');
process.exit(0);
