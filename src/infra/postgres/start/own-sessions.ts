import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { CannotStart } from '../../../app/lifecycle/cannot-start.ts';
import { nameOf } from '../../process/postgres-address.ts';
import { Route, type RoutedClient } from '../connection/route.ts';

/** The limits of an attempt to connect, and then of an answer, in milliseconds. */
const CONNECT_MS = 3_000;
const ANSWER_MS = 5_000;
/** The limit within which an idle session receives a notification, in milliseconds. */
const HEARD_WITHIN_MS = 2_500;
/** The attempts: a machine may be so busy that one takes longer. */
const MAX_TRIES = 2;

/**
 * Throws {@link CannotStart} where sessions are not this program's own for as long as it is
 * connected: behind PgBouncer with `pool_mode` at `transaction` or `statement`, for example. There
 * a setting or a prepared statement would be somebody else's a moment later.
 *
 * A connection listens, and then does nothing while another one notifies. In a session of its own,
 * it is told. A pooler that lends a server's session for one transaction has by then taken it back,
 * and has nobody to pass the notification on to, however many sessions it has, and even where
 * chance gives the same one back each time. Whatever passes bytes on is no trouble, and is not
 * noticed.
 */
export async function requireOwnSessions(url: string): Promise<void> {
  const route = new Route(url, CONNECT_MS);
  for (let tries = 1; tries <= MAX_TRIES; tries++) if (await hasOwnSessions(route, url)) return;
  throw new CannotStart(
    `${nameOf(url)} leads to a pooler that shares sessions, such as PgBouncer with ` +
      'pool_mode=transaction: set its pool_mode to session, or name the address of PostgreSQL itself.',
  );
}

async function hasOwnSessions(route: Route, url: string): Promise<boolean> {
  const clients: RoutedClient[] = [];
  const open = async () => {
    const settings = { application_name: 'store-orders', query_timeout: ANSWER_MS };
    const client = await route.open(settings);
    clients.push(client);
    return client;
  };
  try {
    const listener = await open();
    const notifier = await open().catch((error: Error) => {
      if (error.message !== READ_TIMEOUT) throw error;
      throw new CannotStart(
        `${nameOf(url)} has no second session to give: each instance needs up to 8 at once.`,
      );
    });
    return await isHeard(listener, notifier);
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}

async function isHeard(listener: RoutedClient, notifier: RoutedClient): Promise<boolean> {
  const channel = `store_orders_${randomUUID().replaceAll('-', '')}`;
  const ended = new AbortController();
  const heard = new Promise<boolean>((resolve) => {
    listener.on('notification', (notification) => {
      if (notification.channel === channel) resolve(true);
    });
  });
  await listener.query(`LISTEN ${channel}`);
  await notifier.query(`SELECT pg_notify('${channel}', '')`);
  const { signal } = ended;
  const result = await Promise.race([heard, setTimeout(HEARD_WITHIN_MS, false, { signal })]);
  ended.abort();
  return result;
}

/** The driver's words for an answer that does not come. */
const READ_TIMEOUT = 'Query read timeout';
