/**
 * Text of clients, in the form in which it may be repeated: in the log, in the trail of refusals, in the
 * message of an Error. A key may be sent anywhere, in any encoding and any part, so a text is not
 * repeated for being no key, but only for being short and plain: never a run of 16 characters.
 */

// A whole number of 64 bits, or words of letters and digits, as the paths of this service are made of.
const SEGMENT = String.raw`(?:-?\d{1,19}|(?=[^/]{1,24}(?:/|$))[A-Za-z][A-Za-z\d]{0,14}(?:[.-][A-Za-z][A-Za-z\d]{0,14}){0,3})?`;
/** The most segments of a path that are shown; the longest path of the service has five. */
const MAX_SEGMENTS = 8;
const PLAIN_PATH = new RegExp(`^(?:/${SEGMENT}){1,${MAX_SEGMENTS}}$`);
const PLAIN_SEGMENT = new RegExp(`^${SEGMENT}$`);

/** Returns the path of a request's target, without the segments that are not plain. */
export function shownPath(target: string): string {
  const query = target.indexOf('?');
  const path = query === -1 ? target : target.slice(0, query);
  if (PLAIN_PATH.test(path) || path === '*') return path;
  // In absolute form (RFC 9112, section 3.2.2), an address stands before the path.
  const [first, ...segments] = path.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '').split('/');
  if (first !== '') return HIDDEN;
  const shown = segments.slice(0, MAX_SEGMENTS).map((segment) => {
    return PLAIN_SEGMENT.test(segment) ? segment : HIDDEN;
  });
  return `/${shown.join('/')}${segments.length > MAX_SEGMENTS ? `/${HIDDEN}` : ''}`;
}

const HIDDEN = '…';

const MAX_NAME = 15;
/** The characters that are shown of a longer name; of one that is as long as a key, none are. */
const BEGIN_OF_NAME = 12;
const MAX_CUT_NAME = 40;
const MAX_NAMES = 5;

/** Lists names that a client has made up, each with its fault. */
export function shownNames(names: readonly string[], wrong: string): string {
  const shown = names.slice(0, MAX_NAMES).map((name) => `${shownName(name)}: ${wrong}`);
  const rest = names.length - shown.length;
  return [...shown, ...(rest > 0 ? [`${rest} more: ${wrong}`] : [])].join('; ');
}

function shownName(name: string): string {
  if (name.length <= MAX_NAME) return JSON.stringify(name);
  const begin = name.length < MAX_CUT_NAME ? name.slice(0, BEGIN_OF_NAME) : '';
  return JSON.stringify(`${begin}${HIDDEN}`);
}

/** Returns V8's message about a text that is no JSON, without the piece of the text that it repeats. */
export function shownSyntaxError(message: string): string {
  // A quote behind an apostrophe is the character that was not expected, which is all that stays.
  return message.split(/(?:,? ?(?:\.\.\.)?)(?<!')"/, 1).join('');
}
