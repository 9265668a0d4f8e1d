import { type Logger, pino } from 'pino';

export type { Logger };

/**
 * A logger of JSON lines on standard output. Lines are written in the background and many at
 * once; what is still waiting is written when the process exits.
 */
export function createLogger(level: string): Logger {
  const destination = pino.destination({
    fd: 1,
    sync: false,
    minLength: 4_096,
    periodicFlush: 100,
  });
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}
