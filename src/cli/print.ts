import { addAbortListener } from 'node:events';
import { nextTurn } from '../app/event-loop.ts';
import type { Output, Terminal } from './command-line.ts';

/** Prints a text no faster than it is taken. Ends early where nobody takes it any more. */
export async function print(
  text: Iterable<string> | AsyncIterable<string>,
  output: Output,
  signal?: AbortSignal,
): Promise<void> {
  for await (const part of text) {
    // Why not, `Delivery` tells: of this part, and of everything else.
    if ((await written(part, output, signal)) !== undefined) return;
    // Signals get their turn even where everything is taken at once.
    await nextTurn();
  }
}

/**
 * Whether what is written gets there. It has to be made before anything is written: an output that
 * fails would otherwise end the process.
 */
export class Delivery {
  readonly #terminal: Terminal;
  #failure: string | undefined;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    terminal.stdout.on('error', (error) => this.#note(error, 'standard output'));
    terminal.stderr.on('error', (error) => this.#note(error, 'standard error'));
  }

  /** Waits until all is taken, or says in plain words why something was not. */
  async failure(): Promise<string | undefined> {
    const { stdout, stderr } = this.#terminal;
    for (const output of [stdout, stderr]) {
      if (output.writableLength > 0) await written('', output);
    }
    // An output calls back before it says to all that it has failed.
    await nextTurn();
    return this.#failure;
  }

  #note({ code, message }: NodeJS.ErrnoException, name: string): void {
    if (!GONE.has(code)) this.#failure ??= `${name} cannot be written: ${message}`;
  }
}

/** A reader who has seen enough and goes, as `head` does, is no failure; of a socket, too. */
const GONE = new Set<string | undefined>(['EPIPE', 'ECONNRESET']);

/** Resolves when a text is taken, or with the reason why not. A signal ends the wait for either. */
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
