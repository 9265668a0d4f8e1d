import { crc32 } from 'node:zlib';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns the text of the API key with this id and secret, in the documented format. */
export function keyText(id: string, secret = 's'): string {
  const body = `sto_${id.padStart(10, '0')}_${secret.padStart(43, '0')}`;
  let check = '';
  for (let rest = crc32(body); rest > 0; rest = Math.floor(rest / 62)) {
    check = `${DIGITS[rest % 62]}${check}`;
  }
  return body + check.padStart(6, '0');
}
