import { connect, type Socket } from 'node:net';

/** A client that sends bytes as it likes, and reads when it likes. */
export class RawClient implements Disposable {
  readonly socket: Socket;
  received = '';
  /** Milliseconds from the connection's begin to its end, and to the first byte received. */
  endedAfter: number | undefined;
  answeredAfter: number | undefined;
  readonly closed: Promise<void>;
  readonly #begun = performance.now();

  /** @param isReading False for a client that takes nothing of its answer until {@link read}. */
  constructor(address: string, isReading = true) {
    const { hostname, port } = new URL(address);
    this.socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      const end = () => {
        this.endedAfter ??= performance.now() - this.#begun;
        resolve();
      };
      // The end of what the server sends, or a reset.
      this.socket.on('end', end).on('close', end);
    });
    if (isReading) this.read();
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }

  read(): void {
    this.socket.on('data', (data) => {
      this.answeredAfter ??= performance.now() - this.#begun;
      this.received += data.toString('latin1');
    });
  }

  send(bytes: string | Buffer): void {
    if (this.socket.writable) this.socket.write(bytes);
  }

  /** Sends bytes as fast as they are taken, until nobody takes them. Returns how many were sent. */
  async flood(bytes: Buffer, maxBytes: number): Promise<number> {
    while (this.socket.bytesWritten < maxBytes && this.socket.writable) {
      const isTaken = this.socket.write(bytes);
      if (isTaken) continue;
      await new Promise<void>((resolve) => {
        const done = () => {
          this.socket.off('drain', done).off('close', done);
          resolve();
        };
        this.socket.on('drain', done).on('close', done);
      });
    }
    return this.socket.bytesWritten;
  }

  /** Resolves when what was received contains a text. */
  async until(text: string): Promise<void> {
    while (!this.received.includes(text)) {
      if (this.endedAfter !== undefined) throw new Error(`closed after ${this.received}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}
