import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { UserError } from '../../../app/lifecycle/user-error.ts';
import { shownAddress } from '../../settings/postgres-address.ts';
import { isLocked } from '../connection/errors.ts';
import { SERVING } from '../connection/limits.ts';
import { Route, type RoutedClient } from '../connection/route.ts';
import { Unconfirmed } from '../connection/standbys.ts';

/** The time within which an idle session receives a notification, in milliseconds. */
const HEARD_WITHIN_MS = 2_500;
/** A busy machine may miss that limit once. */
const MAX_TRIES = 2;

/**
 * Throws {@link UserError} if clients share server sessions, as behind PgBouncer with
 * `pool_mode=transaction` or `statement`: settings and prepared statements would reach other
 * clients.
 *
 * One connection listens and stays idle while another notifies. In a session of its own, it
 * receives the notification. A pooler that lends a server session for one transaction has taken it
 * back by then and has no client to pass the notification to, even if it happens to lend the same
 * session again. A proxy that passes on bytes is not detected and does no harm.
 */
export async function requireOwnSessions(url: string, { connect, answer } = SERVING) {
  const route = new Route(url, connect);
  for (let tries = 1; tries <= MAX_TRIES; tries++)
    if (await hasOwnSessions(route, url, answer)) return;
  throw new UserError(
    `${shownAddress(url)} leads to a pooler that shares sessions, such as PgBouncer with ` +
      'pool_mode=transaction: set its pool_mode to session, or name the address of PostgreSQL itself.',
  );
}

async function hasOwnSessions(route: Route, url: string, answerMs: number): Promise<boolean> {
  const clients: RoutedClient[] = [];
  const open = async () => {
    const settings = { application_name: 'store-orders', query_timeout: answerMs };
    const client = await route.open(settings);
    clients.push(client);
    return client;
  };
  try {
    const listener = await open();
    const notifier = await open().catch((error: Error) => {
      if (error.message !== READ_TIMEOUT) throw error;
      throw new UserError(
        `${shownAddress(url)} has no second session to give: each instance needs up to 8 at once.`,
      );
    });
    return await isHeard(listener, notifier, 0.8 * answerMs);
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}

async function isHeard(
  listener: RoutedClient,
  notifier: RoutedClient,
  lockMs: number,
): Promise<boolean> {
  const channel = `store_orders_${randomUUID().replaceAll('-', '')}`;
  const ended = new AbortController();
  const heard = new Promise<boolean>((resolve) => {
    listener.on('notification', (notification) => {
      if (notification.channel === channel) resolve(true);
    });
  });
  await listener.query(`LISTEN ${channel}`);
  await notify(notifier, channel, lockMs);
  const { signal } = ended;
  const result = await Promise.race([heard, setTimeout(HEARD_WITHIN_MS, false, { signal })]);
  ended.abort();
  return result;
}

/**
 * Notifies a channel. Throws {@link Unconfirmed} if another transaction that notifies waits for a
 * standby meanwhile: one commits at a time. The limit of the wait ends with the transaction, so that it
 * reaches no other client of a pooler.
 */
async function notify(client: RoutedClient, channel: string, lockMs: number): Promise<void> {
  const limited = `set_config('lock_timeout', '${Math.ceil(lockMs)}', true)`;
  try {
    await client.query(`SELECT ${limited}, pg_notify('${channel}', '')`);
  } catch (error) {
    if (!isLocked(error as Error)) throw error;
    throw new Unconfirmed('another one has notified, and waits', { cause: error });
  }
}

/** The driver's message when no answer arrives in time. */
const READ_TIMEOUT = 'Query read timeout';
