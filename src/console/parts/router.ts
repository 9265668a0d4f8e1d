/** The address bar: the page in view, and the way to another one. */
import { signal } from '@preact/signals';
import { type Route, readRoute, titleOf, unusedIn, writeRoute } from '../state/routes.ts';

/** The address of the service: the script is two folders below it. A proxy may put it anywhere. */
export const SERVICE = new URL('../../', import.meta.url).href;

const HERE = `${SERVICE}console`;

/**
 * The rest between two writes of one entry in the history, in milliseconds. Beyond 200 changes in 10 seconds Chromium
 * ignores every further one, that to the next page too, and beyond 100 Safari throws.
 */
const REST_MS = 500;

/**
 * The moves within a page that are written at once, in any {@link BURST_MS}. A reload reads the address as it was
 * when it began, before the page hears of it, so an address that waits is lost. More moves are of a key held down.
 */
const BURST_MOVES = 30;
const BURST_MS = 30_000;

interface Entry {
  readonly state: { readonly row: number } | null;
  readonly address: string;
}

/** The newest form of the present entry, while it waits to be written. */
let waiting: Entry | undefined;
let rest: ReturnType<typeof setTimeout> | undefined;
/** The moves that were written at once within the last {@link BURST_MS}. */
let burst = 0;

export const route = signal<Route>(routeHere());

/** The parameters of the address that the page does not use, where it was not the console that wrote it. */
export const unused = signal(unusedHere());

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
    waiting = { state: stateHere(), address };
    if (takeBurst()) writeEntry();
    else writeLater();
  } else {
    writeEntry();
    history.pushState(null, '', address);
  }
  show(to);
  unused.value = [];
}

/** Counts the questions for another place. */
let questions = 0;

/**
 * Returns a check that the reader is still where they were, and has asked for no other place since: an answer for
 * a view that was left, or to a question before the last one, moves nobody.
 */
export function staying(): () => boolean {
  const here = route.value;
  questions += 1;
  const question = questions;
  return () => route.value === here && question === questions;
}

function show(to: Route): void {
  const isOtherPage = titleOf(to) !== titleOf(route.value);
  route.value = to;
  if (isOtherPage) moves.value += 1;
}

/** The row to which the list of this page was scrolled when it was left, with a part of it; absent if it never was. */
export function savedRow(): number | undefined {
  return stateHere()?.row;
}

export function saveRow(row: number): void {
  waiting = { state: { row }, address: waiting?.address ?? location.href };
  writeLater();
}

function stateHere(): Entry['state'] {
  return waiting === undefined ? history.state : waiting.state;
}

/** Returns true if one more move may be written at once. */
function takeBurst(): boolean {
  if (burst >= BURST_MOVES) return false;
  burst += 1;
  setTimeout(() => {
    burst -= 1;
  }, BURST_MS);
  return true;
}

function writeLater(): void {
  rest ??= setTimeout(writeEntry, REST_MS);
}

/** Writes what waits over the present entry. */
function writeEntry(): void {
  clearTimeout(rest);
  rest = undefined;
  if (waiting === undefined) return;
  history.replaceState(waiting.state, '', waiting.address);
  waiting = undefined;
}

function routeHere(): Route {
  const { href, search } = location;
  const path = href.slice(HERE.length + 1).split(/[?#]/)[0] ?? '';
  return readRoute(path, search);
}

function unusedHere(): readonly string[] {
  return unusedIn(routeHere(), location.search);
}

addEventListener('popstate', () => {
  // The form that waits is of the entry that was left.
  waiting = undefined;
  show(routeHere());
  unused.value = unusedHere();
});
// A reader who comes back finds the place that was left.
addEventListener('pagehide', writeEntry);
