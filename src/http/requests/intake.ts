/**
 * The bodies of requests as they arrive. Each is copied into one buffer that grows, from the arrival
 * of its request on: Node hands over a Buffer of about 400 bytes for each chunk, and a client may
 * send chunks of one byte. The buffers of all bodies share a budget.
 */
import type { IncomingMessage } from 'node:http';
import { ApiError } from '../api-error.ts';

/** The longest body that any operation reads. */
export const LONGEST_BODY_BYTES = 131_072;
/** The buffers of all bodies under way together, without the first {@link FREE_BYTES} of each. */
const ALL_BODIES_BYTES = 33_554_432;
/** The part of a body that is always taken, so that long bodies cannot keep out short ones. */
const FREE_BYTES = 4_096;
/** The most that is read and discarded of a body while its answer is under way. */
const DISCARDED_BYTES = 262_144;
/**
 * The chunks of a body that may be of any length, and the least average length of those behind them.
 * A chunk takes 1.2 µs, so the longest body takes 45 ms at the most.
 */
const FREE_CHUNKS = 4_096;
const MEAN_CHUNK_BYTES = 4;

/** The smallest buffer of a body that comes in parts. */
const MIN_BUFFER_BYTES = 512;
const NOTHING = Buffer.of();

const TOO_LARGE = new ApiError('payload_too_large');
/** The error to a body whose client has stopped sending. */
export const INCOMPLETE = new ApiError('invalid_request', 'The body is not complete.');
const TOO_MANY_CHUNKS = new ApiError('payload_too_large', 'The body is in too many small chunks.');
const NO_ROOM = new ApiError(
  'service_unavailable',
  'Too many long bodies are under way: nothing was changed. Try again in a moment.',
);

/** Memory that bodies share, in bytes: a part of another budget, if it has a parent. */
export class Budget {
  readonly #maxBytes: number;
  readonly #parent: Budget | undefined;
  #usedBytes = 0;
  #isClosed = false;

  constructor(maxBytes: number, parent?: Budget) {
    this.#maxBytes = maxBytes;
    this.#parent = parent;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Takes so much more, or gives back a negative number. Returns false if too little is left. */
  take(bytes: number): boolean {
    if (this.#isClosed) return bytes <= 0;
    if (bytes > 0 && this.#usedBytes + bytes > this.#maxBytes) return false;
    if (this.#parent?.take(bytes) === false) return false;
    this.#usedBytes += bytes;
    return true;
  }

  /** Gives back everything that was taken, once and for all. */
  close(): void {
    this.take(-this.#usedBytes);
    this.#isClosed = true;
  }
}

/** The budget of the process. */
export const ALL_BODIES = new Budget(ALL_BODIES_BYTES);

/** A request with the body that arrives. */
export type Arriving = IncomingMessage & { intake?: Intake };

/** Returns true if a request has a body. Of one without, Node announces no end. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** Returns the body of a request that has one, and begins to take it in. */
export function intakeOf(req: Arriving): Intake {
  req.intake ??= new Intake(req);
  return req.intake;
}

/** The body of one request. */
export class Intake {
  readonly #req: IncomingMessage;
  readonly #budget: Budget;
  readonly #freeBytes: number;
  #bytes: Buffer = NOTHING;
  #lengthBytes = 0;
  #chunks = 0;
  /** The part of the budget that it has. */
  #takenBytes = 0;
  #discardedBytes = 0;
  #maxBytes = LONGEST_BODY_BYTES;
  /** The error with which a read rejects. It is set once, and nothing is kept after it. */
  #fault: ApiError | undefined;
  #isComplete = false;
  /** True from its request's turn until it is read or discarded: its client has to wait. */
  #isUndecided = false;
  #isDiscarded = false;
  #tooLong: (() => void) | undefined;
  #reader: { resolve(bytes: Buffer): void; reject(error: ApiError): void } | undefined;

  constructor(req: IncomingMessage, budget = ALL_BODIES, freeBytes = FREE_BYTES) {
    this.#req = req;
    this.#budget = budget;
    this.#freeBytes = freeBytes;
    req.on('data', (chunk: Buffer) => this.#take(chunk));
    req.once('end', () => {
      this.#isComplete = true;
      this.#settle();
    });
    req.once('close', () => {
      if (!this.#isComplete) this.refuse(INCOMPLETE);
    });
  }

  /** The size of its buffer, in bytes. */
  get keptBytes(): number {
    return this.#bytes.length;
  }

  /** Begins the turn of its request. */
  begin(): void {
    this.#isUndecided = true;
  }

  /** Resolves with the whole body. Rejects as soon as it is too long, and keeps no more of it. */
  read(maxBytes: number): Promise<Buffer> {
    this.#isUndecided = false;
    this.#maxBytes = maxBytes;
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
      this.#fault ??= this.#excess();
      this.#settle();
    });
  }

  /** Makes the read of the body reject, one that is under way or a later one. */
  refuse(reason: ApiError): void {
    this.#fault ??= reason;
    this.#settle();
  }

  /**
   * Discards the body, all of it that has arrived or will.
   * @param maxBytes The length up to which it may arrive.
   * @param tooLong Called once if it is longer, or in too many chunks.
   */
  discard(maxBytes: number, tooLong: () => void): void {
    this.#isUndecided = false;
    this.#isDiscarded = true;
    this.#maxBytes = maxBytes;
    this.#tooLong = tooLong;
    this.release();
    if (this.#excess() !== undefined) this.#passBound();
    this.#req.resume();
  }

  /** Frees its buffer. */
  release(): void {
    this.#bytes = NOTHING;
    this.#budget.take(-this.#takenBytes);
    this.#takenBytes = 0;
  }

  #take(chunk: Buffer): void {
    this.#lengthBytes += chunk.length;
    this.#chunks += 1;
    const excess = this.#excess();
    if (excess !== undefined) this.#passBound();
    if (this.#fault === undefined && !this.#isDiscarded) {
      if (excess === undefined && this.#hasKept(chunk)) return;
      this.refuse(excess ?? NO_ROOM);
    }
    // While it is undecided, a client that sends more may still get an answer.
    if (this.#isUndecided) this.#req.pause();
    else {
      this.#discardedBytes += chunk.length;
      if (this.#discardedBytes > DISCARDED_BYTES) this.#req.destroy();
    }
  }

  /** Returns the error of the bound that the body exceeds; undefined while it exceeds none. */
  #excess(): ApiError | undefined {
    if (this.#lengthBytes > this.#maxBytes) return TOO_LARGE;
    // The parts of a body of declared length are as the network has cut it.
    if (this.#req.headers['transfer-encoding'] === undefined) return undefined;
    const most = FREE_CHUNKS + this.#lengthBytes / MEAN_CHUNK_BYTES;
    return this.#chunks > most ? TOO_MANY_CHUNKS : undefined;
  }

  #passBound(): void {
    this.#tooLong?.();
    this.#tooLong = undefined;
  }

  /** Copies a chunk; the first becomes the buffer itself. Returns false if there is no room. */
  #hasKept(chunk: Buffer): boolean {
    const before = this.#lengthBytes - chunk.length;
    if (this.#lengthBytes > this.#bytes.length) {
      const most = Math.min(2 * this.#lengthBytes, this.#maxBytes);
      const size = before === 0 ? chunk.length : Math.max(MIN_BUFFER_BYTES, most);
      if (!this.#hasRoom(size)) return false;
      const bytes = before === 0 ? chunk : Buffer.allocUnsafeSlow(size);
      this.#bytes.copy(bytes, 0, 0, before);
      this.#bytes = bytes;
    }
    if (before > 0) chunk.copy(this.#bytes, before);
    return true;
  }

  #hasRoom(size: number): boolean {
    const bytes = Math.max(0, size - this.#freeBytes);
    if (!this.#budget.take(bytes - this.#takenBytes)) return false;
    this.#takenBytes = bytes;
    return true;
  }

  #settle(): void {
    const fault = this.#fault;
    if (fault !== undefined) this.release();
    if (this.#reader === undefined) return;
    if (fault !== undefined) this.#reader.reject(fault);
    else if (this.#isComplete) this.#reader.resolve(this.#bytes.subarray(0, this.#lengthBytes));
    else return;
    this.#reader = undefined;
    this.release();
  }
}
