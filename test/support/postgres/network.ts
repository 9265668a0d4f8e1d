import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** The fate of a chunk that one side has sent. */
export type Fate = 'pass' | 'drop' | 'cut';

/** A connection through the network, with state for the functions that decide about its chunks. */
export interface Link {
  readonly number: number;
  /** Set by the deciding functions when they have seen what they wait for. */
  isMarked: boolean;
  /** True if sent data still arrives after its sender has disconnected. */
  isLate: boolean;
}

/** A simulated network between a client and a server on this machine. */
export class Network implements AsyncDisposable {
  /** Decide the fate of each chunk from the client, and from the server. */
  fromClient: (bytes: Buffer, link: Link) => Fate | Promise<Fate> = () => 'pass';
  fromServer: (bytes: Buffer, link: Link) => Fate | Promise<Fate> = () => 'pass';
  /** False to refuse new connections. */
  isOpen = true;
  /** The port of the server; may be changed for later connections. */
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

  /** Returns the address of the same database through this network. */
  through(url: string): string {
    const changed = new URL(url);
    changed.port = String(this.port);
    return changed.href;
  }

  /** Cuts all open connections. */
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
    // Chunks stay in order, however long each decision takes.
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
