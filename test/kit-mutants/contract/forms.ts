import { changingBodies, changingRequests } from '../faults.ts';
import type { Fault } from './faulty.ts';

/** Faults of the reading of requests: a value in another form is read as another value, or refused. */

/** Reads the dates in the bodies of requests as other ones. */
function datesRead(
  as: (date: string) => string,
  isHit: (method: string) => boolean = () => true,
): NonNullable<Fault['http']> {
  return (app) =>
    changingBodies(app, (body, { method = '' }) => {
      if (!isHit(method)) return body;
      return body.replace(
        /("shipDate"\s*:\s*")([^"]*)"/,
        (_, before, date) => `${before}${as(date)}"`,
      );
    });
}

const OFFSET = /[+-]\d\d:\d\d$/;
const withoutOffset = (date: string) => date.replace(OFFSET, 'Z');

/** Reads a date by its parts: everything up to the seconds, the fraction, and the offset. */
function byParts(
  read: (seconds: string, fraction: string, zone: string) => string,
): (date: string) => string {
  return (date) => {
    const [, seconds = '', fraction = '', zone = ''] =
      /^([\d:tT-]{19})(?:\.(\d+))?(.*)$/.exec(date) ?? [];
    return seconds === '' ? date : read(seconds, fraction, zone);
  };
}

const MILLISECOND_DIGITS = 3;

export const FORMS: readonly Fault[] = [
  { name: 'the offset of a date is dropped', http: datesRead(withoutOffset) },
  {
    name: 'the offset of a date is counted the other way',
    http: datesRead((date) => {
      return date.replace(
        OFFSET,
        ([sign, ...rest]) => `${sign === '+' ? '-' : '+'}${rest.join('')}`,
      );
    }),
  },
  {
    name: 'the minutes of an offset are dropped',
    http: datesRead((date) => date.replace(/([+-]\d\d):\d\d$/, '$1:00')),
  },
  {
    name: 'an offset does not change the day',
    http: datesRead((date) => {
      const time = OFFSET.test(date) ? Date.parse(date) : Number.NaN;
      if (Number.isNaN(time)) return date;
      return `${date.slice(0, 10)}${new Date(time).toISOString().slice(10)}`;
    }),
  },
  {
    name: 'offsets beyond 12 hours are dropped',
    http: datesRead((date) => date.replace(/[+-](?:1[3-9]|2\d):\d\d$/, 'Z')),
  },
  {
    name: 'the fraction of a second is a number of milliseconds',
    http: datesRead(
      byParts((seconds, fraction, zone) => {
        const milliseconds = fraction.length > 3 ? fraction.slice(0, 3) : fraction.padStart(3, '0');
        return `${seconds}.${milliseconds}${zone}`;
      }),
    ),
  },
  {
    name: 'a fraction that has not three digits is dropped',
    http: datesRead(
      byParts((seconds, fraction, zone) => {
        return `${seconds}${fraction.length === 3 ? `.${fraction}` : ''}${zone}`;
      }),
    ),
  },
  {
    name: 'a date with a small t has no time',
    http: datesRead((date) => date.replace(/t.*$/, 'T00:00:00Z')),
  },
  {
    name: 'the offset of a date is dropped in the last hour of a day',
    http: datesRead((date) => (/T23:/i.test(date) ? withoutOffset(date) : date)),
  },
  {
    name: 'escapes in texts are not read',
    http: (app) =>
      changingBodies(app, (body) => body.replaceAll(/,?"shipDate"\s*:\s*"[^"\\]*\\[^"]*"/g, '')),
  },
  {
    name: 'a member behind a line break is dropped',
    http: (app) =>
      changingBodies(app, (body) => body.replace(/,\s*[\n\t]\s*"shipDate"\s*:\s*"[^"]*"/, '')),
  },
  {
    name: 'the name of Authorization is read in two spellings only',
    http: (app) =>
      changingRequests(app, ({ headers, rawHeaders }) => {
        const isRead = rawHeaders.some((name) => /^[Aa]uthorization$/.test(name));
        if (!isRead) delete headers.authorization;
      }),
  },
];

/** The same for what only this service promises. */
export const PROMISED_FORMS: readonly Fault[] = [
  {
    name: "the offset of a shipment's date is dropped",
    http: datesRead(withoutOffset, (method) => method === 'PUT'),
  },
  {
    name: "the further digits of a shipment's date are rounded",
    http: datesRead(
      byParts((seconds, fraction, zone) => {
        if (fraction.length <= MILLISECOND_DIGITS) return `${seconds}.${fraction || 0}${zone}`;
        const ms = Date.parse(`${seconds}Z`) + Math.round(Number(`0.${fraction}`) * 1_000);
        return new Date(ms).toISOString().replace('Z', zone);
      }),
      (method) => method === 'PUT',
    ),
  },
  {
    name: 'a date with a small z is refused',
    http: datesRead((date) => date.replace(/z$/, '')),
  },
  {
    name: 'a date without a fraction is refused',
    http: datesRead((date) => (date.includes('.') ? date : '')),
  },
  {
    name: 'a body whose content type has a parameter is refused',
    http: (app) =>
      changingRequests(app, ({ headers }) => {
        const { 'content-type': type } = headers;
        if (type?.includes(';')) headers['content-type'] = 'text/plain';
      }),
  },
  {
    name: 'a member with an escape in its name is not read',
    http: (app) =>
      changingBodies(app, (body) => body.replaceAll(/"[^"\\]*\\u[^"]*"(\s*):/g, '"escaped"$1:')),
  },
];
