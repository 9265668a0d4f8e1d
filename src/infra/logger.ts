import { type Logger, pino } from 'pino';

export type { Logger };

/** A logger of JSON lines on standard output. */
export function createLogger(level: string): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime });
}
