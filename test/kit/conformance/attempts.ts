import fc from 'fast-check';
import type { Answer, Asked, WithKey } from '../targets/api-client.ts';
import { checkError, told } from '../targets/orders-api.ts';
import { must } from './trial.ts';

/** Requests without a valid key: everything that a careless server may take for one. */

/** A request without a valid key. */
export interface Attempt {
  /** The attempt in words that do not disclose the key. */
  readonly what: string;
  readonly asked: Asked & { readonly authorization: WithKey | null };
}

/** Returns everything that may be taken for a key, the likeliest first. */
export function attemptsOf(key: string): readonly Attempt[] {
  const other = key === 'x' ? 'y' : 'x';
  return [
    { what: 'no key', asked: { authorization: null } },
    changedAt(key, Math.floor(key.length / 2)),
    sent('"Bearer" alone', 'Bearer', 'Bearer'),
    sent('another key', `Bearer ${other}`, `Bearer ${other}`),
    sent('"Basic" and the key', `Basic ${key}`, 'Basic $KEY'),
    sent('another scheme and the key', `Token ${key}`, 'Token $KEY'),
    sent('the key without "Bearer"', key, '$KEY'),
    sent('the key and one more character', `Bearer ${key}x`, 'Bearer $(echo "$KEY"x)'),
    sent(
      'the key without its last character',
      `Bearer ${key.slice(0, -1)}`,
      `Bearer $(echo "$KEY" | sed 's/.$//')`,
    ),
    sent(
      'the key without its first character',
      `Bearer ${key.slice(1)}`,
      `Bearer $(echo "$KEY" | sed 's/.//')`,
    ),
    sent('the key twice in a row', `Bearer ${key}${key}`, 'Bearer $KEY$KEY'),
    sent('the key in quotes', `Bearer "${key}"`, 'Bearer \\"$KEY\\"'),
    sent('the key and a word', `Bearer ${key} x`, 'Bearer $KEY x'),
    sent(
      'the key as a password',
      `Basic ${btoa(`:${key}`)}`,
      'Basic $(printf :$KEY | base64 -w 0)',
    ),
    sent('an empty header', '', ''),
    ...respelledKeys(key, 'KEY'),
  ];
}

/** Matches a hexadecimal number or a UUID, which may be written in either case. */
const HEXADECIMAL = /^[0-9a-f-]+$/i;

/**
 * Returns other keys that a careless comparison takes for a key: without regard to case, after
 * percent-decoding, and without padding.
 * @param variable The variable of a shell that has the key.
 */
export function respelledKeys(key: string, variable: string): readonly Attempt[] {
  const swapped = key.replaceAll(/[a-z]/gi, (letter) => {
    return letter < 'a' ? letter.toLowerCase() : letter.toUpperCase();
  });
  const cases: readonly (readonly [what: string, text: string, command: string])[] = [
    ['in the other case', swapped, "tr 'a-zA-Z' 'A-Za-z'"],
    ['in small letters', key.toLowerCase(), "tr 'A-Z' 'a-z'"],
    ['in capital letters', key.toUpperCase(), "tr 'a-z' 'A-Z'"],
  ];
  const [first = ''] = key;
  const code = first.charCodeAt(0).toString(16).padStart(2, '0');
  const others = new Map([[key, true]]);
  return [
    ...cases
      .filter(([, text]) => !HEXADECIMAL.test(key) && !others.has(text) && others.set(text, true))
      .map(([what, text, command]) => {
        return sent(
          `the key ${what}`,
          `Bearer ${text}`,
          `Bearer $(echo "$${variable}" | ${command})`,
        );
      }),
    sent(
      'the key with its first character percent-encoded',
      `Bearer %${code}${key.slice(1)}`,
      `Bearer $(printf %%%02x "'$${variable}")\${${variable}#?}`,
    ),
    sent('the key and a "="', `Bearer ${key}=`, `Bearer $${variable}=`),
  ];
}

/** The headers, the cookies and the parameters in which other servers take a key. */
const KEY_HEADERS = ['x-api-key', 'api-key', 'x-auth-token', 'x-access-token'] as const;
const KEY_NAMES = ['key', 'api_key', 'apiKey', 'access_token', 'token', 'session'] as const;

/** Returns requests that have the key in another header than Authorization, or in cookies. */
export function misplacedKeys(key: string): readonly Attempt[] {
  const cookies = (value: string) => KEY_NAMES.map((name) => `${name}=${value}`).join('; ');
  const places: readonly (readonly [name: string, of: (key: string) => string])[] = [
    ...KEY_HEADERS.map((name) => [name, (value: string) => value] as const),
    ['x-authorization', (value) => `Bearer ${value}`],
    ['cookie', cookies],
  ];
  return places.map(([name, of]) => {
    const headers = { [name]: { value: of(key), shell: of('$KEY') } };
    return { what: `the key in ${name}`, asked: { authorization: null, headers } };
  });
}

/** Returns a request that has the key in its query, with that query. */
export function keyInQuery(key: string): Attempt & { readonly query: WithKey } {
  const query = (value: string) => `?${KEY_NAMES.map((name) => `${name}=${value}`).join('&')}`;
  return {
    what: 'the key in the query',
    asked: { authorization: null },
    query: { value: query(encodeURIComponent(key)), shell: query('$KEY') },
  };
}

function sent(what: string, value: string, shell: string): Attempt {
  return { what, asked: { authorization: { value, shell } } };
}

/** Returns the key with one character changed. The script changes it in any key that it is run with. */
export function changedAt(key: string, at: number): Attempt {
  const other = key[at] === 'A' ? 'B' : 'A';
  const changed = key.slice(0, at) + other + key.slice(at + 1);
  const change = `-e 's/^\\(.\\{${at}\\}\\)A/\\1B/' -e t -e 's/./A/${at + 1}'`;
  const shell = `Bearer $(echo "$KEY" | sed ${change})`;
  return sent(`the key with character ${at + 1} changed`, `Bearer ${changed}`, shell);
}

/** Draws texts and keys that are similar to the key. */
export function similarKeys(key: string) {
  const last = key.length - 1;
  // A key of one character has no beginning that is a text.
  const beginnings = last === 0 ? [] : [fc.integer({ min: 1, max: last }).map(begun)];
  return fc.oneof(
    fc
      .stringMatching(/^[\w.~+/-]{1,80}$/)
      .filter((text) => text !== key)
      .map((text) => sent(`Bearer ${text}`, `Bearer ${text}`, `Bearer ${text}`)),
    fc.nat({ max: last }).map((at) => changedAt(key, at)),
    ...beginnings,
  );

  function begun(length: number): Attempt {
    const shell = `Bearer $(printf %.${length}s "$KEY")`;
    const what = `the first ${length} characters of the key`;
    return sent(what, `Bearer ${key.slice(0, length)}`, shell);
  }
}

/** Throws unless an answer refuses a key. */
export function check401(answer: Answer, rule: string, what: string): void {
  must(answer.status === 401, rule, `${what} is ${told(answer)}`);
  checkError(answer, 401, 'unauthorized');
}
