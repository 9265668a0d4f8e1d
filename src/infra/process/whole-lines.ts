/** A file or a pipe of lines, which stay whole when a write to it fails half way, as on a full disk. */

import { createWriteStream, type WriteStream } from 'node:fs';

const LINE_FEED = 10;

/** Lines that were given to a stream, until they are written. */
interface Pending {
  readonly bytes: Buffer;
  /** The lines that are lost with these: those in them, and those that they report as dropped. */
  readonly lines: number;
  /** True for the rest of a line of which the beginning is written. */
  readonly isRest: boolean;
}

/**
 * Writes lines one after the other. A file on a full disk takes as much of a write as there is room for,
 * and can be written again when there is more. The line that was cut is then completed first: otherwise
 * the next would continue it, and no program could read either.
 */
export class WholeLines {
  readonly #fd: number;
  #stream: WriteStream;
  #pending: Pending[] = [];
  /** The bytes that the stream has written of what is no longer pending. */
  #settled = 0;
  #rest: Buffer | undefined;
  #lost = 0;
  #isUnread = false;
  /** Ends the writes that are under way. */
  readonly #writing = new Set<() => void>();

  constructor(fd: number) {
    this.#fd = fd;
    this.#stream = this.#open();
  }

  /** True once the reader has gone away. */
  get isUnread(): boolean {
    return this.#isUnread;
  }

  /** The bytes that wait to be written. */
  get waitingBytes(): number {
    return this.#stream.writableLength;
  }

  /** Returns the number of lines that could not be written since the last call. */
  takeLost(): number {
    const lost = this.#lost;
    this.#lost = 0;
    return lost;
  }

  /** Returns the rest of a line that is cut, for a last write beside the stream. */
  takeRest(): Buffer {
    const rest = this.#rest ?? Buffer.alloc(0);
    this.#rest = undefined;
    return rest;
  }

  /**
   * Resolves when whole lines are written, or cannot be.
   * @param lines Their number, and that of the lines which they report as dropped.
   */
  write(text: string, lines: number): Promise<void> {
    const rest = this.takeRest();
    if (rest.length > 0) void this.#write({ bytes: rest, lines: 0, isRest: true });
    return this.#write({ bytes: Buffer.from(text), lines, isRest: false });
  }

  #write(pending: Pending): Promise<void> {
    const stream = this.#stream;
    this.#pending.push(pending);
    return new Promise((resolve) => {
      const end = () => {
        this.#writing.delete(end);
        resolve();
      };
      this.#writing.add(end);
      stream.write(pending.bytes, (error) => {
        if (error) this.#fail(stream, error);
        else {
          this.#pending.shift();
          this.#settled += pending.bytes.length;
        }
        end();
      });
    });
  }

  #open(): WriteStream {
    const stream = createWriteStream('', { fd: this.#fd, autoClose: false });
    stream.on('error', (error) => this.#fail(stream, error));
    return stream;
  }

  #fail(stream: WriteStream, { code }: NodeJS.ErrnoException): void {
    if (stream !== this.#stream || this.#isUnread) return;
    // A reader that has gone away, such as `head`, is no reason to stop serving.
    if (code === 'EPIPE') this.#isUnread = true;
    else {
      this.#giveUp(stream.bytesWritten - this.#settled);
      this.#settled = 0;
      // This stream cannot be written again.
      this.#stream = this.#open();
    }
    // The stream calls nobody back whose lines were behind those that failed.
    for (const end of this.#writing) end();
  }

  /** Counts the pending lines as lost, and keeps the rest of the one that is cut. */
  #giveUp(writtenBytes: number): void {
    let written = writtenBytes;
    for (const { bytes, lines, isRest } of this.#pending) {
      if (written < bytes.length) {
        if (isRest) this.#rest = bytes.subarray(written);
        else this.#lost += written > 0 ? this.#cut(bytes, written) : lines;
      }
      written = Math.max(0, written - bytes.length);
    }
    this.#pending = [];
  }

  /** Keeps the rest of the line that is cut at a place. Returns the number of lines behind it. */
  #cut(bytes: Buffer, at: number): number {
    const next = bytes.indexOf(LINE_FEED, at - 1) + 1;
    if (next > at) this.#rest = bytes.subarray(at, next);
    return bytes.subarray(next).reduce((lines, byte) => lines + (byte === LINE_FEED ? 1 : 0), 0);
  }
}
