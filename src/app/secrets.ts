/**
 * Removes secrets from texts that are about to be shown: in the log, on standard error, in a
 * response.
 *
 * It is the last line of defence. Text of clients is shown in a safe form in the first place (see
 * src/http/requests/shown.ts), because a secret that is encoded or cut into pieces cannot be
 * recognized.
 */

/** An API key, in any case, with its underscores percent-encoded any number of times. */
const KEY = /sto(?:_|%(?:25)*5f)[\w%]+/gi;
/** A whole API key, so that a name such as presto_42 does not match. */
const WHOLE_KEY = /sto(?:_|%(?:25)*5f)[0-9a-z]{10}(?:_|%(?:25)*5f)[0-9a-z]{49}/i;
/** A run of characters that may be an address. */
const RUN = /[^\s"]+/g;
/** The part of an address before its password. */
const BEFORE_PASSWORD = /:\/\/[^/:@]*(?=:)/;
/** A password as a parameter of an address, such as `sslpassword`, or in libpq's other form. */
const PASSWORD_PARAMETER = /\b(\w*password=)[^\s"&]+/gi;
/** A password as a parameter of a text that is one address: up to the next parameter. */
const PASSWORD_TO_NEXT = /\b(\w*password=)[^&]+/gi;
/** A signing key, which may be given by mistake in place of its file's name. */
const SIGNING_KEY = /PRIVATE\+KEY\+[^\s"]+/g;
/** A run longer than any word, like the secret part of every key. */
const LONG_RUN = /[\w%]{40,}/g;

/** Shorter secrets may occur in any line, and these two words do in many. */
const MIN_GUARDED_LENGTH = 8;
const COMMON_WORDS = ['password', 'postgres'];
/** The longest first: one that begins with another is removed whole. */
let guarded: readonly string[] = [];

/** Registers a secret, which is removed in each of its forms from every text that is shown. */
export function guardSecret(secret: string): void {
  if (COMMON_WORDS.includes(secret)) return;
  const forms = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];
  const long = forms.filter((form) => form.length >= MIN_GUARDED_LENGTH);
  guarded = [...new Set([...guarded, ...long])].sort((one, other) => other.length - one.length);
}

/** Returns true if a text contains an API key, in any case and percent-encoding. */
export function holdsKey(text: string): boolean {
  return WHOLE_KEY.test(text);
}

/** Returns a text without keys, passwords in addresses, and registered secrets. */
export function withoutSecrets(text: string): string {
  let clean = text.replaceAll(KEY, 'sto_…');
  // Most texts hold no address with a password: to look at each of their runs took most of the time.
  if (clean.includes('@')) clean = clean.replaceAll(RUN, withoutPassword);
  clean = clean.replaceAll(PASSWORD_PARAMETER, '$1…').replaceAll(SIGNING_KEY, 'PRIVATE+KEY+…');
  for (const secret of guarded) clean = clean.replaceAll(secret, '…');
  return clean;
}

/**
 * Returns a setting without the secrets in it. A text that is one address loses its password whole, even if a
 * mistake has left spaces in it.
 */
export function shownSetting(value: string): string {
  return withoutSecrets(withoutPassword(value).replaceAll(PASSWORD_TO_NEXT, '$1…'));
}

/** Returns an address without its password. One with an unencoded / or @ in it ends at the last @. */
function withoutPassword(run: string): string {
  // Not by one expression: it would search for an @ again behind each ://, in quadratic time.
  const end = run.lastIndexOf('@');
  const found = BEFORE_PASSWORD.exec(run.slice(0, Math.max(0, end)));
  if (found === null) return run;
  return `${run.slice(0, found.index + found[0].length)}:…${run.slice(end)}`;
}

/** Returns a text of an unknown client without secrets, and without any run as long as that of a key. */
export function withoutLongRuns(text: string): string {
  return withoutSecrets(text).replaceAll(LONG_RUN, '…');
}
