import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** What becomes of what one side has sent. */
export type Fate = 'pass' | 'drop' | 'cut';

/** One connection through the network. What is kept of it is up to who decides. */
export interface Link {
  readonly number: number;
  /** Whether something was seen on it that its fate depends on. */
  isMarked: boolean;
  /** Whether what was sent arrives although its sender has gone. */
  isLate: boolean;
}

/** A network between a client and a server on this machine that does what it is told to. */
export class Network implements AsyncDisposable {
  /** What becomes of what the client has sent, and of what the server answers. */
  fromClient: (bytes: Buffer, link: Link) => Fate | Promise<Fate> = () => 'pass';
  fromServer: (bytes: Buffer, link: Link) => Fate | Promise<Fate> = () => 'pass';
  /** Whether anybody can connect. */
  isOpen = true;
  /** The port of the server: others may connect to another one from now on. */
  target: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #links = 0;

  private constructor(port: number) {
    this.target = port;
    this.#server = createServer((client) => this.#link(client, connect(this.target, '127.0.0.1')));
  }

  static async start(port: number): Promise<Network> {
    const network = new Network(port);
    network.#server.listen(0, '127.0.0.1');
    await once(network.#server, 'listening');
    return network;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  /** The address of the same database by way of this network. */
  through(url: string): string {
    const changed = new URL(url);
    changed.port = String(this.port);
    return changed.href;
  }

  /** Cuts every connection that there is. */
  cutAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((done) => this.#server.close(done));
    this.cutAll();
    await closed;
  }

  #link(client: Socket, server: Socket): void {
    const link = { number: ++this.#links, isMarked: false, isLate: false };
    const sockets = [client, server];
    const cut = () => {
      for (const socket of sockets) socket.destroy();
    };
    for (const socket of sockets) {
      this.#sockets.add(socket);
      socket.on('error', cut);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        if (socket !== client || !link.isLate) cut();
      });
    }
    if (!this.isOpen) {
      cut();
      return;
    }
    // One chunk after the other, however long each decision takes.
    const pump = (from: Socket, to: Socket, decide: (bytes: Buffer) => Fate | Promise<Fate>) => {
      let before = Promise.resolve();
      from.on('data', (bytes) => {
        before = before.then(async () => {
          const fate = await decide(bytes);
          if (fate === 'pass' && !to.destroyed) to.write(bytes);
          if (fate === 'cut') cut();
        });
      });
    };
    pump(client, server, (bytes) => this.fromClient(bytes, link));
    pump(server, client, (bytes) => this.fromServer(bytes, link));
  }
}
