import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { Random } from './random.ts';

/**
 * A TCP proxy on this machine that cuts connections at random: before a piece of data, in the middle
 * of it, or behind it. What it does to the nth connection depends on the seed only.
 */
export class CuttingProxy implements AsyncDisposable {
  /** The port of the server; may be changed for later connections. */
  target: number;
  /** The number of connections that were cut. */
  cuts = 0;
  /** The share of the pieces, in either direction, at which a connection is cut. */
  readonly #share: number;
  readonly #seed: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #connections = 0;

  private constructor(port: number, seed: number, share: number) {
    this.target = port;
    this.#seed = seed;
    this.#share = share;
    this.#server = createServer((client) => this.#join(client, connect(this.target, '127.0.0.1')));
  }

  static async start(port: number, seed: number, share: number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(port, seed, share);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #join(client: Socket, server: Socket): void {
    const random = new Random(this.#seed + 7_919 * ++this.#connections);
    const end = () => {
      client.destroy();
      server.destroy();
    };
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from.on('error', end).on('close', () => {
        this.#sockets.delete(from);
        end();
      });
      from.on('data', (bytes) => {
        if (to.destroyed) return;
        if (random.fraction() >= this.#share) return void to.write(bytes);
        this.cuts += 1;
        from.pause();
        // Anything from nothing to all of it arrives before the connection breaks.
        to.write(bytes.subarray(0, random.below(bytes.length + 1)), end);
      });
    }
  }
}
