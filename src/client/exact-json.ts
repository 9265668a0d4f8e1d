/**
 * Reads JSON without rounding: an integer that JavaScript's numbers cannot hold becomes a string of
 * its digits. Version 1 of the API has ids of 64 bits as numbers.
 */

const INTEGER = /^-?(?:0|[1-9]\d*)$/;
/** A text without a run of 16 digits has no integer that would be rounded. */
const LONG = /\d{16}/;
/** A string, which is passed over, or a number. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** Returns the value of a JSON text. Throws a SyntaxError if it is none. */
export function readExactly(text: string): unknown {
  const value = JSON.parse(text);
  if (!LONG.test(text)) return value;
  // Only now: with quotes, some text that is no JSON would become some.
  return JSON.parse(text.replace(TOKEN, (token) => (isRounded(token) ? `"${token}"` : token)));
}

/** Returns the members of the object in a JSON text; none if the text is no JSON or no object. */
export function membersIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

function isRounded(source: string): boolean {
  return INTEGER.test(source) && !Number.isSafeInteger(Number(source));
}
