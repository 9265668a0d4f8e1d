/** The reader's device: the form of times, the shortcuts that act, the present, and the state of its network. */
import { computed, signal } from '@preact/signals';
import { instantAt, now } from '../state/clock.ts';
import { ServiceClock } from '../state/service-clock.ts';
import { type TimeForm, timeFormOf, type Zone } from '../state/times.ts';
import { lastingStorage } from './storage.ts';

/** The entry in the local storage that keeps the form of times for the next visit. */
const TIMES_ENTRY = 'store-orders-console-times';

/** The entry that keeps `off` for the next visit, for the search of the guides too. */
const SHORTCUTS_ENTRY = 'store-orders-shortcuts';

export const timeForm = signal<TimeForm>(timeFormOf(lastingStorage.getItem(TIMES_ENTRY)));
/** The zone of exact times: those beside relative ones are in UTC. */
export const zone = computed<Zone>(() => (timeForm.value === 'local' ? 'local' : 'utc'));
/** True while keys without Ctrl are shortcuts: who dictates presses them by words (WCAG 2.2, 2.1.4). */
export const hasShortcuts = signal(mayUseShortcuts());
const clock = new ServiceClock(now);
/** The present of the service, for relative times: milliseconds since 1970. */
export const present = signal(now());
const PRESENT_MS = 1_000;
setInterval(() => {
  present.value = clock.now();
}, PRESENT_MS);

/** Takes the service's time from an answer that has just come. */
export function hearTime({ headers }: Response): void {
  clock.hear(headers.get('Date'));
}

/** Returns the present instant of the service in RFC 3339. */
export function instantNow(): string {
  return instantAt(clock.now());
}

export const isOnline = signal(navigator.onLine);

export function chooseTimes(text: string): void {
  timeForm.value = timeFormOf(text);
  lastingStorage.setItem(TIMES_ENTRY, timeForm.value);
}

function mayUseShortcuts(): boolean {
  return lastingStorage.getItem(SHORTCUTS_ENTRY) !== 'off';
}

export function switchShortcuts(isOn: boolean): void {
  hasShortcuts.value = isOn;
  lastingStorage.setItem(SHORTCUTS_ENTRY, isOn ? 'on' : 'off');
}

// The choice holds in the other tabs too.
addEventListener('storage', ({ key }) => {
  if (key === SHORTCUTS_ENTRY) hasShortcuts.value = mayUseShortcuts();
});
