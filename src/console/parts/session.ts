/** The reader: the key in use, its scopes, and the changes that are allowed. */
import { computed, signal } from '@preact/signals';
import { type Key, type Position, StoreOrders, StoreOrdersError } from '../../client/client.ts';
import { now } from '../state/clock.ts';
import { KeyHolder } from '../state/key-holder.ts';
import { fileOf } from '../state/open-answers.ts';
import { isPosition, placeIn } from '../state/places.ts';
import { type Problem, problemOf } from '../state/problem.ts';
import { hearTime, isOnline } from './device.ts';
import { SERVICE } from './router.ts';
import { tabStorage } from './storage.ts';

export type Scope = Key['scopes'][number];

/** The interval at which a key that is not used is looked for, in milliseconds. */
const IDLE_CHECK_MS = 10_000;

const holder = new KeyHolder(tabStorage, now);

/** The key as the service knows it; absent while no key has been accepted. */
export const who = signal<Key | undefined>(undefined);
/** True while the key of the tab is looked up, after a reload. */
export const isResuming = signal(false);
/** The problem because of which the service could not be asked about the key. It is still held. */
export const doubt = signal<Problem | undefined>(undefined);
/** The reason why there is no key any more, or why one was not accepted. */
export const farewell = signal('');
/** Changes are off until the reader allows them, for as long as the key is held. */
export const allowsChanges = signal(false);
/** The epoch of the log; the first one while the key may not read it. */
export const epoch = signal('0');
/** True while the epoch is asked for, which is a request that may be refused too. */
let isRenewing = false;
const scopes = computed(() => who.value?.scopes ?? []);

export function can(scope: Scope): boolean {
  return scopes.value.includes(scope);
}

/** Returns a position as requests name it. */
export function place(position: number): Position {
  return placeIn(epoch.value, position);
}

/** Returns a position of an address as requests name it. One beyond all is the last that the API takes. */
export function placeOf(at: string): Position {
  return at.includes(':') ? at : place(Math.min(Number(at), Number.MAX_SAFE_INTEGER));
}

/** Returns a moment of an address, a position or a time, as requests name it. */
export function momentOf(text: string): Position {
  return isPosition(text) ? placeOf(text) : text;
}

/** The statuses of a position or a cursor of an epoch that has ended. */
const ENDED: readonly number[] = [400, 410];

/**
 * Sends a request. Forgets its key if the service does not accept it, but not one that was entered since. Learns the
 * epoch again after a refusal that may be due to a cut of the log.
 */
const watched: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  hearTime(response);
  const isOfHeld = new Headers(init?.headers).get('Authorization') === `Bearer ${holder.key}`;
  if (response.status === 401 && isOfHeld) forget('The service no longer accepts the key.');
  if (ENDED.includes(response.status) && can('audit:read')) void renewEpoch();
  return response;
};

/** Returns a client with the reader's key, which sends its requests by a function. */
function clientBy(send: typeof fetch): StoreOrders {
  // Pages show a failure and count down to the next attempt, so the client makes none in silence.
  return new StoreOrders({
    url: SERVICE,
    key: () => holder.key ?? '',
    fetch: send,
    retries: 0,
    attemptTimeoutMs: 60_000,
  });
}

/** The API, with the reader's key. Requests are not repeated. */
export const client = clientBy(watched);

/** Returns a client that reports each stream that has been opened. */
export function streamClient(onOpen: () => void): StoreOrders {
  return clientBy(async (input, init) => {
    const response = await watched(input, init);
    if (response.ok) onOpen();
    return response;
  });
}

/** The service without the key: for what everybody may read. */
export const openClient = clientBy((input, init) => fetch(input, { ...init, headers: {} }));

/** Returns the answer to a GET with the reader's key as a file of a type. Rejects with a reason in words. */
export function fileAt(path: string, type: string): Promise<Blob> {
  const headers = { Authorization: `Bearer ${holder.key ?? ''}` };
  return fileOf(watched, { url: new URL(path, SERVICE).href, headers, type });
}

/** Tries a key, and holds it unless the service refuses it. */
export async function enter(key: string, isForTab: boolean): Promise<void> {
  holder.hold(key, isForTab);
  await identify();
}

/** Goes on with the key of the tab, if it was to be kept. */
export async function resume(): Promise<void> {
  if (holder.restore() === undefined) return;
  isResuming.value = true;
  await identify().finally(() => {
    isResuming.value = false;
  });
}

/** Learns whose key is held. Of one that has been replaced or dropped meanwhile, the answer changes nothing. */
export async function identify(): Promise<void> {
  const asked = holder.key;
  farewell.value = '';
  try {
    const key = await client.whoAmI();
    const mayRead = key.scopes.includes('audit:read');
    const present = mayRead ? (await client.epochs()).epoch : '0';
    if (holder.key !== asked) return;
    epoch.value = present;
    who.value = key;
    doubt.value = undefined;
  } catch (error) {
    const problem = problemOf(error, navigator.onLine);
    // A key that is refused is no longer held by now.
    const isReplaced = ![asked, undefined].includes(holder.key);
    if (isReplaced) return;
    if (problem.kind === 'key_refused') forget('The service does not accept this key.');
    else if (holder.key === asked) doubt.value = problem;
  }
}

/** Learns the epoch of the log as it is now. Without an answer it stays as it was: the page shows its own failure. */
async function renewEpoch(): Promise<void> {
  if (isRenewing) return;
  isRenewing = true;
  const asked = holder.key;
  try {
    const { epoch: present } = await client.epochs();
    if (holder.key === asked) epoch.value = present;
  } catch (error) {
    if (!(error instanceof StoreOrdersError)) throw error;
  } finally {
    isRenewing = false;
  }
}

/** Drops the key, and what only its owner may see. */
export function forget(reason: string): void {
  holder.drop();
  who.value = undefined;
  doubt.value = undefined;
  allowsChanges.value = false;
  farewell.value = reason;
}

/** Listens for signs of the reader: activity keeps the key, leaving and idleness drop it. */
export function watchReader(): void {
  for (const type of ['keydown', 'pointerdown', 'wheel'] as const) {
    addEventListener(type, () => holder.touch(), { passive: true });
  }
  setInterval(() => {
    const wasHeld = who.value !== undefined || doubt.value !== undefined;
    if (wasHeld && holder.key === undefined)
      forget('The key was dropped after 30 minutes without activity.');
  }, IDLE_CHECK_MS);
  addEventListener('pagehide', () => {
    holder.leave();
    who.value = undefined;
    doubt.value = undefined;
    allowsChanges.value = false;
  });
  // A page that the browser has kept is shown again.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) void resume();
  });
  addEventListener('online', () => {
    isOnline.value = true;
  });
  addEventListener('offline', () => {
    isOnline.value = false;
  });
}
