import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A message of PostgreSQL's protocol, type and length included. */
interface Message {
  readonly type: string;
  readonly bytes: Buffer;
}

interface Sent {
  readonly client: Socket;
  readonly message: Message;
}

/** Splits a stream of bytes into messages, however it is chunked. */
class Framing {
  #rest: Buffer = Buffer.alloc(0);

  *add(bytes: Buffer): Generator<Message> {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    while (this.#rest.length >= 5) {
      const end = 1 + this.#rest.readInt32BE(1);
      if (this.#rest.length < end) return;
      yield {
        type: String.fromCharCode(this.#rest[0] as number),
        bytes: this.#rest.subarray(0, end),
      };
      this.#rest = this.#rest.subarray(end);
    }
  }
}

/** The code of an SSLRequest, which a client may send before its first message. */
const SSL_REQUEST = 80_877_103;

/**
 * A pooler that shares one session of a server among all clients, each for one transaction, like
 * PgBouncer with pool_mode=transaction and a pool of one, so that no second session reveals it.
 */
export class TransactionPooler implements AsyncDisposable {
  readonly #server: Server;
  readonly #session: Socket;
  readonly #sockets = new Set<Socket>();
  /** The server's messages at the start of the session, which are repeated to each client. */
  #greeting: Buffer = Buffer.alloc(0);
  #owner: Socket | undefined;
  /** The number of replies that the owner still waits for. */
  #due = 0;
  readonly #waiting: Sent[] = [];

  private constructor(port: number) {
    this.#session = connect(port, '127.0.0.1');
    this.#server = createServer((client) => this.#serve(client));
  }

  /** Starts a pooler in front of a server that requires no password. */
  static async start(port: number, database: string): Promise<TransactionPooler> {
    const pooler = new TransactionPooler(port);
    await pooler.#greet(database);
    pooler.#server.listen(0, '127.0.0.1');
    await once(pooler.#server, 'listening');
    return pooler;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((done) => this.#server.close(done));
    for (const socket of this.#sockets) socket.destroy();
    this.#session.destroy();
    await closed;
  }

  async #greet(database: string): Promise<void> {
    const parameters = `user\0postgres\0database\0${database}\0\0`;
    const startup = Buffer.alloc(8 + parameters.length);
    startup.writeInt32BE(startup.length);
    startup.writeInt32BE(196_608, 4);
    startup.write(parameters, 8);
    this.#session.write(startup);
    const framing = new Framing();
    const greeting: Buffer[] = [];
    await new Promise<void>((greeted) => {
      this.#session.on('data', (bytes) => {
        for (const message of framing.add(bytes)) {
          if (this.#greeting.length > 0) this.#answer(message);
          else greeting.push(Buffer.from(message.bytes));
          if (this.#greeting.length > 0 || message.type !== 'Z') continue;
          this.#greeting = Buffer.concat(greeting);
          greeted();
        }
      });
    });
  }

  #serve(client: Socket): void {
    const framing = new Framing();
    this.#sockets.add(client);
    client.on('error', () => client.destroy());
    client.on('close', () => this.#sockets.delete(client));
    let isGreeted = false;
    client.on('data', (bytes) => {
      if (isGreeted) {
        for (const { type, bytes: whole } of framing.add(bytes)) {
          this.#waiting.push({ client, message: { type, bytes: Buffer.from(whole) } });
        }
        this.#pump();
      } else if (bytes.readInt32BE(4) === SSL_REQUEST) {
        client.write('N');
      } else {
        isGreeted = true;
        client.write(this.#greeting);
      }
    });
  }

  /** Forwards the owner's messages; if the session has no owner, the next client becomes it. */
  #pump(): void {
    for (;;) {
      this.#owner ??= this.#waiting[0]?.client;
      const index = this.#waiting.findIndex(({ client }) => client === this.#owner);
      if (index === -1) return;
      const [{ message }] = this.#waiting.splice(index, 1) as [Sent];
      if (message.type === 'Q' || message.type === 'S') this.#due += 1;
      // The session outlives its clients.
      if (message.type !== 'X') this.#session.write(message.bytes);
      else if (this.#due === 0) this.#owner = undefined;
    }
  }

  #answer({ type, bytes }: Message): void {
    // A notification without an owner is dropped, as by PgBouncer.
    this.#owner?.write(Buffer.from(bytes));
    if (type !== 'Z') return;
    this.#due -= 1;
    if (this.#due > 0 || bytes[5] !== 'I'.charCodeAt(0)) return;
    this.#owner = undefined;
    this.#pump();
  }
}
