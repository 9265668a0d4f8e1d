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
