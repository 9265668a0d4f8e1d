/**
 * Takes secrets out of texts that are about to be shown: in the log, on standard error, in an answer.
 *
 * It is the last line of defence. Text of clients is shown in a bounded form to begin with (see
 * src/http/requests/shown.ts), because a secret that is encoded or cut in pieces cannot be told from other text.
 */

/** A key of ours, whatever its case, and with its underscores percent-encoded any number of times. */
const KEY = /sto(?:_|%(?:25)*5f)[\w%]+/gi;
/** A whole key of ours, so that a name such as presto_42 is not taken for one. */
const WHOLE_KEY = /sto(?:_|%(?:25)*5f)[0-9a-z]{10}(?:_|%(?:25)*5f)[0-9a-z]{49}/i;
/** The password in an address. One with an unencoded / or @ in it ends at the last @. */
const PASSWORD = /(:\/\/[^\s"/:@]*):[^\s"]*@/g;
/** One as a parameter of an address, or in libpq's other form. */
const PASSWORD_PARAMETER = /\b(password=)[^\s"&]+/gi;
/** A signing key, which somebody may take for the name of its file. */
const SIGNING_KEY = /PRIVATE\+KEY\+[^\s"]+/g;
/** A run longer than any word, as the secret part of every key is. */
const LONG_RUN = /[\w%]{40,}/g;

/** Shorter ones may be part of any line, and these two of many. */
const MIN_GUARDED_LENGTH = 8;
const COMMON_WORDS = ['password', 'postgres'];
const guarded = new Set<string>();

/** Registers a secret: it is taken out of every text that this process shows, in each of its forms. */
export function guardSecret(secret: string): void {
  if (COMMON_WORDS.includes(secret)) return;
  for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]) {
    if (form.length >= MIN_GUARDED_LENGTH) guarded.add(form);
  }
}

/** Returns whether a text has an API key in it, in any case and percent-encoding. */
export function holdsKey(text: string): boolean {
  return WHOLE_KEY.test(text);
}

/** Returns a text without keys, passwords in addresses, and registered secrets. */
export function withoutSecrets(text: string): string {
  let clean = text
    .replaceAll(KEY, 'sto_…')
    .replaceAll(PASSWORD, '$1:…@')
    .replaceAll(PASSWORD_PARAMETER, '$1…')
    .replaceAll(SIGNING_KEY, 'PRIVATE+KEY+…');
  for (const secret of guarded) clean = clean.replaceAll(secret, '…');
  return clean;
}

/** Returns the same without any run as long as a key's secret part: for text that strangers may send. */
export function withoutLongRuns(text: string): string {
  return withoutSecrets(text).replaceAll(LONG_RUN, '…');
}
