import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import type { Request, Row } from '../../kit/history/history.ts';
import { answer, type Ground, ground, type Parts } from './app-parts.ts';

/** The parts behind real connections, and as little between them as possible. */
export class PartsServer implements AsyncDisposable {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(build: (ground: Ground) => Parts | Promise<Parts>): Promise<PartsServer> {
    // Steps take a moment, sometimes none.
    const pause = async () => {
      if (Math.random() < 0.5) await wait(Math.random() * 4);
    };
    const parts = await build(await ground(pause));
    const server = createServer(async (req, res) => {
      const [status, body] = await reply(parts, await requestIn(req));
      res.writeHead(status).end(body);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return new PartsServer(server);
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

async function requestIn(req: IncomingMessage): Promise<Request> {
  const [, id] = /^\/v1\/store\/orders\/(\d+)/.exec(req.url as string) ?? [];
  switch (req.method) {
    case 'POST': {
      const { petId, ...order } = JSON.parse(await text(req));
      return { kind: 'place', petId: BigInt(petId), ...order };
    }
    case 'PUT':
      return { kind: 'ship', id: BigInt(id as string), ...JSON.parse(await text(req)) };
    case 'DELETE':
      return { kind: 'cancel', id: BigInt(id as string) };
    default:
      return id === undefined ? { kind: 'list' } : { kind: 'get', id: BigInt(id) };
  }
}

const ACCEPTED = { place: 201, ship: 200, cancel: 204, get: 200, list: 200 } as const;

async function reply(parts: Parts, request: Request): Promise<[status: number, body: string]> {
  const answered = await answer(parts, request);
  switch (answered.kind) {
    case 'accepted':
      return [ACCEPTED[request.kind], await bodyFor(parts, request, answered.id)];
    case 'shown':
      return [200, jsonOf(answered.order)];
    case 'listed':
      return [200, `[${answered.orders.map(jsonOf).join(',')}]`];
    case 'refused':
      return [answered.reason === 'order_not_found' ? 404 : 409, `{"code":"${answered.reason}"}`];
    default:
      return [500, ''];
  }
}

/** The body by which version 1 answers that an order was placed or shipped. */
async function bodyFor(parts: Parts, request: Request, id: bigint): Promise<string> {
  if (request.kind === 'place') {
    const { petId, quantity, shipDate } = request;
    return jsonOf({ id, petId, quantity, ...(shipDate && { shipDate }), complete: false });
  }
  if (request.kind !== 'ship') return '';
  const now = await answer(parts, { kind: 'get', id });
  if (now.kind === 'shown') return jsonOf(now.order);
  // A broken application may have lost it: this is what it has just said.
  const row = { id, petId: 0n, quantity: 1, shipDate: request.shipDate, complete: true };
  return jsonOf(row);
}

function jsonOf({ id, petId, quantity, shipDate, complete }: Row): string {
  const date = shipDate === undefined ? '' : `,"shipDate":"${shipDate}"`;
  return `{"id":${id},"petId":${petId},"quantity":${quantity}${date},"complete":${complete}}`;
}
