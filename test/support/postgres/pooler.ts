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

/** Takes messages apart, whatever the chunks they come in. */
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

/** What a client asks before its first message: to encrypt. */
const SSL_REQUEST = 80_877_103;

/**
 * A pooler that gives one session of a server to many clients, each for one transaction, as PgBouncer
 * does with pool_mode=transaction and a pool of one: there is no other session that would give it away.
 */
export class TransactionPooler implements AsyncDisposable {
  readonly #server: Server;
  readonly #session: Socket;
  readonly #sockets = new Set<Socket>();
  /** What the server has said when the session began: each client is told the same. */
  #greeting: Buffer = Buffer.alloc(0);
  #owner: Socket | undefined;
  /** How many answers the owner still waits for. */
  #due = 0;
  readonly #waiting: Sent[] = [];

  private constructor(port: number) {
    this.#session = connect(port, '127.0.0.1');
    this.#server = createServer((client) => this.#serve(client));
  }

  /** Starts one in front of a server that asks for no password. */
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

  /** Passes on what the owner has sent, and where nobody is the owner, makes the next one it. */
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
    // Nobody is there for a notification: PgBouncer drops it, too.
    this.#owner?.write(Buffer.from(bytes));
    if (type !== 'Z') return;
    this.#due -= 1;
    if (this.#due > 0 || bytes[5] !== 'I'.charCodeAt(0)) return;
    this.#owner = undefined;
    this.#pump();
  }
}
