/** The values that settings are made of: schemas that read the text of a variable. */
import { isIP } from 'node:net';
import { z } from 'zod';

/** Makes the schema of a whole number from 0, or 1, to a maximum, in decimal digits. */
export function numberTo(max: number, error: string, min: 0 | 1 = 0) {
  const digits = z.string().regex(/^(?:0|[1-9]\d*)$/, error);
  return digits.transform(Number).refine((value) => value >= min && value <= max, error);
}

/** Converts seconds to milliseconds. */
export const inMs = (seconds: number) => seconds * 1_000;

const NO_DURATION = 'must be a whole number of milliseconds from 1 to 60000';

/** A duration in milliseconds, which is not zero. */
export const durationMs = numberTo(60_000, NO_DURATION, 1);

const NO_HOST =
  'must be a host name or an address such as 0.0.0.0 or ::1, without brackets and without a port';

/** An address to listen on, or a name that is looked up. */
export const host = z
  .string()
  .refine((text) => isIP(text) > 0 || /^[\p{L}\p{M}\p{N}_.-]+$/u.test(text), NO_HOST);

/** The public address of the API. */
export const baseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address', abort: true })
  .refine((url) => new URL(url).pathname.endsWith('/v1'), 'must end in /v1')
  .refine((url) => !/[?#]/.test(url), 'must have neither a query nor a fragment')
  // It stands in the public description, and in the headers of pages.
  .refine((url) => !new URL(url).href.includes('@'), 'must have neither a user nor a password');

const NO_LOG_ORIGIN =
  'must be an address without https://, such as shop.example.com/orders: at most 200 characters, no + or blank, and no / at its end';

/** The name of a log, as C2SP tlog-checkpoint recommends: a URL without its scheme. */
export const logOrigin = z.string().refine(isLogOrigin, NO_LOG_ORIGIN);

const MAX_LOG_ORIGIN = 200;

function isLogOrigin(text: string): boolean {
  const url = `https://${text}`;
  if (text.length > MAX_LOG_ORIGIN || /[+\s@?#]|\/$/.test(text) || !URL.canParse(url)) return false;
  // As the URL is written in its one form, but for the path of a mere host.
  return new URL(url).href.replace(/^(https:\/\/[^/]+)\/$/, '$1') === url;
}

// An origin as browsers send it (RFC 6454): anything else would never match one.
const origin = z
  .string()
  .trim()
  .refine((text) => URL.canParse(text) && new URL(text).origin === text, {
    error: 'must be origins such as https://shop.example.com, separated by commas',
  });

/** Origins, separated by commas, each once. */
export const origins = listOf(origin).transform((list) => [...new Set(list)]);

const proxy = z.string().trim().refine(isNetwork, {
  error:
    'must be addresses and networks such as 10.0.0.7, fd00::/8 or loopback, separated by commas',
});

/** Addresses and networks, separated by commas. */
export const proxies = listOf(proxy);

/** Makes the schema of values that are separated by commas. */
function listOf(each: typeof origin) {
  return z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(each));
}

function isNetwork(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] as number;
  const isPrefix =
    prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= bits);
  return bits > 0 && isPrefix && rest.length === 0;
}

/** Returns true if only programs of this machine reach the host. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|::1|127(?:\.\d{1,3}){3})$/i.test(host);
}
