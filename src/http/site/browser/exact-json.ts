/**
 * JSON text, handled without reading its numbers: JavaScript rounds integers beyond 2^53, and the
 * ids of this API are integers of 64 bits.
 */

/** A string, a bracket or another mark, or anything else up to the next of these. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/** Lays JSON text out as JSON.stringify with two spaces would. Any other text stays as it is. */
export function layOutJson(text: string): string {
  if (!isJson(text)) return text;
  let depth = 0;
  let before = '';
  let laidOut = '';
  const newLine = () => `\n${'  '.repeat(depth)}`;
  for (const [token] of text.matchAll(TOKEN)) {
    const closes = token === '}' || token === ']';
    if (closes) depth -= 1;
    const isEmpty = closes && (before === '{' || before === '[');
    const follows = before === '{' || before === '[' || before === ',' || closes;
    if (follows && !isEmpty) laidOut += newLine();
    laidOut += token === ':' ? ': ' : token;
    if (token === '{' || token === '[') depth += 1;
    before = token;
  }
  return laidOut;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** An invisible character, which stands around the digits of a number that is kept as a string. */
const MARK = '\u2063';

/** Returns JSON text in which the integers that would be rounded are strings. */
export function shieldIntegers(text: string): string {
  return text.replaceAll(TOKEN, (token) => {
    const isExact = !/^-?\d+$/.test(token) || Number.isSafeInteger(Number(token));
    return isExact ? token : `"${MARK}${token}${MARK}"`;
  });
}

/** Turns those strings back into numbers, in JSON text and in text around it. */
export function unshieldIntegers(text: string): string {
  return text.replaceAll(new RegExp(`"${MARK}(-?\\d+)${MARK}"`, 'g'), '$1');
}
