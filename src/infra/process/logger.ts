/** The service's log. */

import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { type Logger, pino } from 'pino';
import { CLOCKS } from '../../app/clock.ts';
import { withoutSecrets } from '../../app/secrets.ts';
import { readableText } from './log-text.ts';
import { WholeLines } from './whole-lines.ts';

export type { Logger };

/** The gathered lines that are converted to JSON together. */
const MAX_GATHERED_LINES = 64;
/** A write has at least this length, unless the first of its lines has waited this long. */
const WRITE_CHARACTERS = 32_768;
const WRITE_WITHIN_MS = 100;
/** The bytes that may wait for a reader who is slow; lines beyond them are dropped. */
const MAX_WAITING_BYTES = 16_777_216;

/** JSON lines for programs, or lines of text for a person at a terminal. */
export type LogFormat = 'json' | 'text';

/**
 * A logger on standard output. Lines are gathered, and put into JSON and written many at
 * once; `flush` writes what is waiting, and so does the process when it exits.
 *
 * To put a line into JSON takes 1 µs in a row of them, and 3 to 4 µs between other work, whose code
 * and data are then in the processor's caches. And pino's own destination appends every line to one
 * growing string, which costs 3 to 5 µs a line; an array of lines, joined once, costs 0.5 µs.
 */
export function createLogger(
  level: string,
  format: LogFormat = isatty(STDOUT_FD) ? 'text' : 'json',
): { logger: Logger; flush(): Promise<void> } {
  const lines = new LineWriter(STDOUT_FD, format);
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => lines.time,
      serializers: { err: loggedError },
      hooks: {
        logMethod(args, method) {
          lines.gather(() => method.apply(this, args));
        },
      },
    },
    lines,
  );
  return { logger, flush: () => lines.flush() };
}

/** Returns an error as pino logs it, but with a message that several of its causes share only once. */
function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const chain = new Set<Error>();
  let next: unknown = error;
  while (next instanceof Error && !chain.has(next)) {
    chain.add(next);
    next = next.cause;
  }
  const messages = new Set(chain.values().map(({ message }) => message));
  return { ...pino.stdSerializers.err(error), message: [...messages].join(': ') };
}

const STDOUT_FD = 1;

/** The end of the line that each request leaves: see src/http/request-log.ts. */
const REQUEST_LINE_END = '"msg":"request"}\n';

/** A line that is still to be put into JSON, and when it was said. */
interface Gathered {
  readonly print: () => void;
  readonly at: number;
}

class LineWriter {
  readonly #fd: number;
  readonly #format: LogFormat;
  readonly #output: WholeLines;
  readonly #timeOf = isoTime();
  #gathered: Gathered[] = [];
  #lines: string[] = [];
  #length = 0;
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The time of the line that is being put into JSON, as pino has it in a line. */
  time = '';

  constructor(fd: number, format: LogFormat) {
    this.#fd = fd;
    this.#format = format;
    this.#output = new WholeLines(fd);
    process.on('exit', () => this.#writeNow());
  }

  /** @param print Makes pino put a line into JSON, and write it to this. */
  gather(print: () => void): void {
    this.#gathered.push({ print, at: CLOCKS.wall() });
    if (this.#gathered.length >= MAX_GATHERED_LINES) this.#print();
    if (this.#length >= WRITE_CHARACTERS) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), WRITE_WITHIN_MS);
  }

  write(line: string): void {
    // Lines of requests, nearly all that there are, have nothing in them that could be a secret.
    const isOfRequest = line.endsWith(REQUEST_LINE_END);
    this.#lines.push(isOfRequest ? line : withoutSecrets(line));
    this.#length += line.length;
  }

  /** Resolves when every line so far is written, or cannot be. */
  flush(): Promise<void> {
    if (this.#output.isUnread || this.#output.waitingBytes > MAX_WAITING_BYTES) {
      this.#dropped += this.#lines.length + this.#gathered.length;
      this.#gathered = [];
      this.#empty();
      return Promise.resolve();
    }
    const { text, lines } = this.#take();
    return this.#output.write(text, lines);
  }

  #writeNow(): void {
    try {
      const rest = this.#output.takeRest();
      writeSync(this.#fd, Buffer.concat([rest, Buffer.from(this.#take().text)]));
    } catch {
      // Nobody reads the log any more.
    }
  }

  /** Returns the lines so far, with their number and that of the dropped ones that they report. */
  #take(): { readonly text: string; readonly lines: number } {
    this.#print();
    const dropped = this.#dropped + this.#output.takeLost();
    this.#dropped = 0;
    const lines = this.#lines.length + dropped;
    if (dropped > 0) {
      const time = this.#timeOf(CLOCKS.wall());
      this.#lines.unshift(`{"level":40${time},"msg":"lines were dropped","lines":${dropped}}\n`);
    }
    const shown = this.#format === 'text' ? this.#lines.map(readableText) : this.#lines;
    const text = shown.join('');
    this.#empty();
    return { text, lines };
  }

  #print(): void {
    const gathered = this.#gathered;
    this.#gathered = [];
    for (const { print, at } of gathered) {
      this.time = this.#timeOf(at);
      print();
    }
  }

  #empty(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#lines = [];
    this.#length = 0;
  }
}

/** A time as pino writes it, but formatted once a millisecond rather than once a line. */
function isoTime(): (at: number) => string {
  let last = 0;
  let text = '';
  return (at) => {
    if (at !== last) {
      last = at;
      text = `,"time":"${new Date(at).toISOString()}"`;
    }
    return text;
  };
}
