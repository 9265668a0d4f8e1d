import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Session, Target, Told } from '../target.ts';
import { ApiClient } from './api-client.ts';
import { type Adapter, OrdersApi } from './orders-api.ts';

export interface HttpOptions {
  readonly key: string;
  readonly adapter?: Adapter;
  /** Sends the requests; default a new client with the adapter. */
  readonly api?: OrdersApi;
  /** False if the server has no getOrder; default true. */
  readonly offersGet?: boolean;
  /** False if nobody else places orders there; default true. */
  readonly isShared?: boolean;
  /** Kills the server like kill -9, and restarts it; resolves with its new base URL. */
  readonly restart?: () => Promise<string>;
}

/**
 * Returns any server as a target.
 * @param baseUrl The URL of the API, ending in its version: `http://127.0.0.1:3000/v1`.
 */
export function httpTarget(baseUrl: string, options: HttpOptions): Target {
  return { name: baseUrl, open: () => httpSession(baseUrl, options) };
}

/** Returns an HTTP application in this process as a target, on a port of 127.0.0.1. */
export function listenerTarget(
  name: string,
  open: () => Promise<{
    /** A listener of `node:http`. */
    readonly listener: (request: never, response: never) => unknown;
    /** The path of the API on it, such as `/v1`. */
    readonly basePath: string;
    readonly key: string;
    close(): Promise<void>;
  }>,
): Target {
  return {
    name,
    async open() {
      const { listener, basePath, key, close } = await open();
      const server = createServer(listener as RequestListener);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const baseUrl = `http://127.0.0.1:${port}${basePath}`;
      return {
        ...httpSession(baseUrl, { key, isShared: false }),
        async close() {
          const closed = new Promise((resolve) => server.close(resolve));
          server.closeAllConnections();
          await closed;
          await close();
        },
      };
    },
  };
}

/** A session with a server. */
export function httpSession(baseUrl: string, options: HttpOptions): Session {
  const { key, adapter = {}, offersGet = true, isShared = true, restart } = options;
  let api = options.api ?? new OrdersApi(new ApiClient(baseUrl, key), key, { adapter });
  return {
    choosesIds: true,
    isShared,
    shipsPendingOnly: api.adapter.ship !== undefined,
    list: () => api.list(),
    ...(offersGet && { get: (id: bigint) => api.get(id) }),
    ...(restart && {
      async restart() {
        api = new OrdersApi(new ApiClient(await restart(), key), key, { adapter });
      },
    }),
    async perform(command): Promise<Told> {
      switch (command.type) {
        case 'PlaceOrder': {
          const { petId, quantity, shipDate } = command;
          const date = shipDate === undefined ? {} : { shipDate };
          const { id, order } = await api.place({ petId, quantity, ...date });
          return { kind: 'accepted', orderId: id, ...(order && { order }) };
        }
        case 'ShipOrder':
          return toldOf(await api.ship(command.orderId, command.shipDate));
        case 'CancelOrder':
          return toldOf(await api.cancel(command.orderId));
      }
    },
  };
}

function toldOf(answer: Awaited<ReturnType<OrdersApi['ship']>>): Told {
  if (typeof answer === 'string') return { kind: 'rejected', reason: answer };
  return answer === undefined ? { kind: 'accepted' } : { kind: 'accepted', order: answer };
}
