/** The printing of texts at the pace of their reader. */

import { addAbortListener } from 'node:events';
import { nextTurn } from '../../app/event-loop.ts';
import { withoutSecrets } from '../../app/secrets.ts';
import type { Output, Terminal } from './command-line.ts';

const MAX_FOREIGN_LENGTH = 500;

/** Returns a text of somebody else, bounded and without characters that control a terminal. */
export function visible(text: string): string {
  return text.slice(0, MAX_FOREIGN_LENGTH).replaceAll(/\p{C}/gu, '?');
}

/** Returns a text of any length without characters that control a terminal, but with its lines and tabs. */
export function printable(text: string): string {
  return text.replaceAll(/[^\P{C}\n\t]/gu, '?');
}

/** Returns a sentence as a clause for another one: without its full stop. */
export function clauseOf(sentence: string): string {
  return sentence.replace(/\.$/, '');
}

/** Returns a {@link printable} text on one line, for a line or a cell of a table. */
export function onOneLine(text: string): string {
  return printable(text).replaceAll(/[\n\t]/g, ' ');
}

export function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Writes words for people: nothing in them controls a terminal, and no secret is shown. */
export function say(output: Output, words: string): void {
  output.write(printable(withoutSecrets(words)));
}

/** Returns a text of lines. Nothing in a line, whoever wrote it, can begin another one. */
export function linesOf(lines: readonly string[]): string {
  return lines.map((line) => `${onOneLine(line)}\n`).join('');
}

/** Prints a text no faster than its reader takes it. Ends early if the reader has gone. */
export async function print(
  text: Iterable<string> | AsyncIterable<string>,
  output: Output,
  signal?: AbortSignal,
): Promise<void> {
  for await (const part of text) {
    // `OutputWatch` reports the failure of this part, as of every other.
    if ((await written(part, output, signal)) !== undefined) return;
    // Signals get a turn even if the reader takes everything at once.
    await nextTurn();
  }
}

/**
 * The watch over both outputs. It must be made before anything is written: an output that fails
 * would otherwise end the process.
 */
export class OutputWatch {
  readonly #terminal: Terminal;
  #failure: string | undefined;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    terminal.stdout.on('error', (error) => this.#note(error, 'standard output'));
    terminal.stderr.on('error', (error) => this.#note(error, 'standard error'));
  }

  /** Waits until everything is written. Resolves with the reason if something could not be. */
  async failure(): Promise<string | undefined> {
    const { stdout, stderr } = this.#terminal;
    for (const output of [stdout, stderr]) {
      if (output.writableLength > 0) await written('', output);
    }
    // An output calls back before it emits its error.
    await nextTurn();
    return this.#failure;
  }

  #note({ code, message }: NodeJS.ErrnoException, name: string): void {
    if (!GONE.has(code)) this.#failure ??= `${name} cannot be written: ${message}`;
  }
}

/** The codes of a reader that has gone, as `head` does: no failure. */
const GONE = new Set<string | undefined>(['EPIPE', 'ECONNRESET']);

/**
 * Writes a text. Resolves when it is taken, or with the error. Rejects if the signal is aborted.
 */
function written(text: string, output: Output, signal?: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const wait = signal && addAbortListener(signal, () => reject(signal.reason));
    output.write(text, (error) => {
      wait?.[Symbol.dispose]();
      resolve(error ?? undefined);
    });
  });
}
