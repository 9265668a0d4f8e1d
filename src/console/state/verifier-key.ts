/** The public key of a log, as text: its name, its id and the key itself. */

const KEY = /^[^\s+]+\+[0-9a-f]{8}\+[A-Za-z0-9+/=]{44}$/;

/** Returns true for a text that has the form of a public key. */
export function isKey(text: string): boolean {
  return KEY.test(text);
}
