/** Instants and durations as texts. */
import { instantOf, millisecondsOf } from './clock.ts';

/** The zone of all times on a page. */
export type Zone = 'utc' | 'local';

/** The forms in which a reader may want all times, with their names. */
export const TIME_FORMS = [
  ['utc', 'UTC'],
  ['local', 'Local time'],
  ['relative', 'Relative'],
] as const;

export type TimeForm = (typeof TIME_FORMS)[number][0];

/** Returns the form with a name that was kept; UTC for any other text. */
export function timeFormOf(text: string | null): TimeForm {
  return TIME_FORMS.find(([form]) => form === text)?.[0] ?? 'utc';
}

/** Returns the time since an instant, or until it. */
export function relativeText(instant: string, nowMs: number): string {
  const seconds = Math.trunc((nowMs - millisecondsOf(instant)) / 1_000);
  if (seconds === 0) return 'now';
  const text = durationText(Math.abs(seconds) * 1_000);
  return seconds > 0 ? `${text} ago` : `in ${text}`;
}

/** Returns the name of a zone, such as `UTC` or `Europe/Vienna`. */
export function zoneName(zone: Zone): string {
  return zone === 'utc' ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone;
}

const DAY_MS = 86_400_000;

/**
 * Returns an instant of the API as `YYYY-MM-DD HH:MM:SS`, with as many further digits as it has, and with its offset
 * from UTC where the zone has that time twice.
 * @param timeZone The local zone; the browser's if absent.
 */
export function timeText(instant: string, zone: Zone, timeZone?: string): string {
  const [, fraction = ''] = /(\.\d+)/.exec(instant) ?? [];
  if (zone === 'utc') return instant.slice(0, 19).replace('T', ' ') + fraction;
  const format = new Intl.DateTimeFormat('en-CA', {
    ...(timeZone === undefined ? {} : { timeZone }),
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'longOffset',
  });
  const ms = millisecondsOf(instant);
  const { text, offset, behindMs } = clockText(format, ms);
  // Clocks that are set back show a time at two instants, which are as far apart as the offsets before and after:
  // an hour in most zones, half of one on Lord Howe Island, two at Troll.
  const isTwice = [-DAY_MS, DAY_MS].some((by) => {
    const otherMs = ms + clockText(format, ms + by).behindMs - behindMs;
    return otherMs !== ms && clockText(format, otherMs).text === text;
  });
  return `${text}${fraction}${isTwice ? ` ${offset}` : ''}`;
}

/** Returns the date and time that clocks of a zone show, and their offset from UTC, also as the milliseconds behind it. */
function clockText(format: Intl.DateTimeFormat, ms: number) {
  const parts = format.formatToParts(ms);
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? '';
  // The year before 1 is 0 in RFC 3339, and 1 BC here.
  const year = of('era').startsWith('B') ? 1 - Number(of('year')) : Number(of('year'));
  const digits = `${year < 0 ? '-' : ''}${String(Math.abs(year)).padStart(4, '0')}`;
  const date = `${digits}-${of('month')}-${of('day')}`;
  const text = `${date} ${of('hour')}:${of('minute')}:${of('second')}`;
  const offset = of('timeZoneName').replace(/^GMT$/, 'GMT+00:00').slice(3);
  // Offsets of the 19th century have seconds, which Date.parse does not take.
  return { text, offset, behindMs: millisecondsOf(`1970-01-01T00:00:00${offset.slice(0, 6)}`) };
}

/**
 * Returns the instant of a date and time that was typed in a zone, such as `2026-03-01T12:00`. `undefined`
 * for anything else: fields for a date take years beyond 9999, which the service does not.
 */
export function instantIn(text: string, zone: Zone): string | undefined {
  if (zone === 'local') return instantOf(text);
  const whole = `${text.length === 16 ? `${text}:00` : text}Z`;
  return instantOf(whole) && whole;
}

/** Said in place of a moment that is none. */
export const NO_MOMENT = 'Give a date and a time, up to the year 9999.';

const UNITS = [
  ['d', DAY_MS],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** Returns a duration by its two largest units, such as `3 d 4 h`. Less than a second is in ms. */
export function durationText(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  const at = UNITS.findIndex(([, unitMs]) => whole >= unitMs);
  const [unit, unitMs] = UNITS[at] ?? [];
  if (unit === undefined || unitMs === undefined) return `${whole} ms`;
  const [smaller, smallerMs = 1] = UNITS[at + 1] ?? [];
  const rest = smaller === undefined ? 0 : Math.floor((whole % unitMs) / smallerMs);
  const large = `${Math.floor(whole / unitMs)} ${unit}`;
  return rest === 0 ? large : `${large} ${rest} ${smaller}`;
}

/** Returns a whole number with its thousands apart. */
export function countText(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ' ');
}
