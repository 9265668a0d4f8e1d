/** The address bar: the page in view, and the way to another one. */
import { signal } from '@preact/signals';
import { type Route, readRoute, titleOf, writeRoute } from '../state/routes.ts';

/** The address of the service: the script is two folders below it. A proxy may put it anywhere. */
export const SERVICE = new URL('../../', import.meta.url).href;

const HERE = `${SERVICE}console`;

/**
 * The rest between two writes of one entry in the history, in milliseconds. Beyond 200 changes in 10 seconds Chromium
 * ignores every further one, that to the next page too, and beyond 100 Safari throws.
 */
const REST_MS = 500;

interface Entry {
  readonly state: { readonly scrollPx: number } | null;
  readonly address: string;
}

/** The newest form of the present entry, while it waits to be written. */
let waiting: Entry | undefined;
let rest: ReturnType<typeof setTimeout> | undefined;

export const route = signal<Route>(routeHere());

/** Counts the moves to a page with another heading. Filters, and steps within a page, are none. */
export const moves = signal(0);

/** Returns the whole address of a page. */
export function addressOf(to: Route): string {
  const rest = writeRoute(to);
  return rest === '' ? HERE : `${HERE}/${rest}`;
}

/** @param isSamePage Replaces the entry in the history: for a view that changes within its page. */
export function moveTo(to: Route, isSamePage = false): void {
  const address = addressOf(to);
  if (isSamePage) {
    replaceEntry({ state: stateHere(), address });
  } else {
    writeEntry();
    history.pushState(null, '', address);
  }
  show(to);
}

/** Returns a check that the reader is still where they were: an answer for a view that was left moves nobody. */
export function staying(): () => boolean {
  const here = route.value;
  return () => route.value === here;
}

function show(to: Route): void {
  const isOtherPage = titleOf(to) !== titleOf(route.value);
  route.value = to;
  if (isOtherPage) moves.value += 1;
}

/** The offset to which the list of this page was scrolled when it was left; absent if it never was. */
export function savedScroll(): number | undefined {
  return stateHere()?.scrollPx;
}

export function saveScroll(scrollPx: number): void {
  replaceEntry({ state: { scrollPx }, address: waiting?.address ?? location.href });
}

function stateHere(): Entry['state'] {
  return waiting === undefined ? history.state : waiting.state;
}

/** Writes an entry over the present one: at once, or after the rest of the write before. */
function replaceEntry(entry: Entry): void {
  waiting = entry;
  if (rest === undefined) writeEntry();
}

/** Writes what waits. */
function writeEntry(): void {
  clearTimeout(rest);
  rest = undefined;
  if (waiting === undefined) return;
  history.replaceState(waiting.state, '', waiting.address);
  waiting = undefined;
  rest = setTimeout(writeEntry, REST_MS);
}

function routeHere(): Route {
  const { href, search } = location;
  const path = href.slice(HERE.length + 1).split(/[?#]/)[0] ?? '';
  return readRoute(path, search);
}

addEventListener('popstate', () => {
  // The form that waits is of the entry that was left.
  waiting = undefined;
  show(routeHere());
});
