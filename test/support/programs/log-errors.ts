import { StoreUnavailable } from '../../../src/app/ports/store.ts';
import { createLogger } from '../../../src/infra/process/logger.ts';

/** Logs errors that have causes, and exits. */
const { logger } = createLogger('info');
const unavailable = new StoreUnavailable(new Error('disk I/O error'));
const circle = new Error('in a circle');
circle.cause = circle;
for (const err of [unavailable, new Error('not read', { cause: unavailable }), circle]) {
  logger.error({ err }, 'failed');
}
