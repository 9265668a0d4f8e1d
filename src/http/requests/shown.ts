/**
 * Converts text of clients to a form that may be repeated: in the log, in the trail of refusals, in
 * the message of an Error. A key may be sent anywhere, in any encoding, in any part. So only short
 * and plain text is repeated: never a run of 16 characters.
 */

// A 64-bit integer, or words of letters and digits, as in the paths of this service.
const SEGMENT = String.raw`(?:-?\d{1,19}|(?=[^/]{1,24}(?:/|$))[A-Za-z][A-Za-z\d]{0,14}(?:[.:-][A-Za-z][A-Za-z\d]{0,14}){0,3})?`;
/** The most segments of a path that are shown; the service's longest path has five. */
const MAX_SEGMENTS = 8;
const PLAIN_PATH = new RegExp(`^(?:/${SEGMENT}){1,${MAX_SEGMENTS}}$`);
const PLAIN_SEGMENT = new RegExp(`^${SEGMENT}$`);

/** The methods in OpenTelemetry's semantic conventions. */
const METHODS: ReadonlySet<string> = new Set(
  'CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT QUERY TRACE'.split(' '),
);
/** The name that those conventions give to all other methods. */
export const OTHER_METHOD = '_OTHER';

/** Returns the method of a request as spans and metrics show it, of which there are only a few. */
export function shownMethod(method: string): string {
  return METHODS.has(method) ? method : OTHER_METHOD;
}

/** Returns the path of a request's target, with all segments hidden that are not plain. */
export function shownPath(target: string): string {
  const query = target.indexOf('?');
  const path = query === -1 ? target : target.slice(0, query);
  if (PLAIN_PATH.test(path) || path === '*') return path;
  // In absolute form (RFC 9112, section 3.2.2), the path follows an address.
  const [first, ...segments] = path.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '').split('/');
  if (first !== '') return HIDDEN;
  const shown = segments.slice(0, MAX_SEGMENTS).map((segment) => {
    return PLAIN_SEGMENT.test(segment) ? segment : HIDDEN;
  });
  return `/${shown.join('/')}${segments.length > MAX_SEGMENTS ? `/${HIDDEN}` : ''}`;
}

const HIDDEN = '…';

/** A name up to the first length is shown whole, and one below the last is cut to the second. */
const MAX_NAME_LENGTH = 15;
const CUT_NAME_LENGTH = 12;
/** A name of this length may contain a whole key, so nothing of it is shown. */
const KEY_NAME_LENGTH = 40;
const MAX_NAMES = 5;

/** Lists invalid names that a client has sent, each with its fault. */
export function shownNames(names: readonly string[], wrong: string): string {
  const shown = names.slice(0, MAX_NAMES).map((name) => `${shownName(name)}: ${wrong}`);
  const rest = names.length - shown.length;
  return [...shown, ...(rest > 0 ? [`${rest} more: ${wrong}`] : [])].join('; ');
}

function shownName(name: string): string {
  if (name.length <= MAX_NAME_LENGTH) return JSON.stringify(name);
  const begin = name.length < KEY_NAME_LENGTH ? name.slice(0, CUT_NAME_LENGTH) : '';
  return JSON.stringify(`${begin}${HIDDEN}`);
}

/** Returns V8's message about invalid JSON, without the quoted part of the text. */
export function shownSyntaxError(message: string): string {
  // A quote after an apostrophe is the unexpected character itself, which is kept.
  return message.split(/(?:,? ?(?:\.\.\.)?)(?<!')"/, 1).join('');
}
