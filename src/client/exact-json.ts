/**
 * Reads JSON without rounding: an integer that JavaScript's numbers cannot hold becomes a string of
 * its digits. Version 1 of the API has ids of 64 bits as numbers.
 */

/** The context that `JSON.parse` passes to a reviver, in engines that have it. */
type Source = { readonly source?: string } | undefined;
type Reviver = (key: string, value: unknown, context?: Source) => unknown;

const parse = JSON.parse as (text: string, reviver?: Reviver) => unknown;

const INTEGER = /^-?(?:0|[1-9]\d*)$/;
/** A text without a run of 16 digits has no integer that would be rounded. */
const LONG = /\d{16}/;
/** A string, which is passed over, or a number. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

const hasSource = parse('1', (_key, _value, context) => context?.source) === '1';

/** Returns the value of a JSON text. Throws a SyntaxError if it is none. */
export function readExactly(text: string): unknown {
  if (!LONG.test(text)) return parse(text);
  return hasSource ? readBySource(text) : readByText(text);
}

/** The reader for engines in which a reviver gets the source of each value. */
export function readBySource(text: string): unknown {
  return parse(text, (_key, value, context) => {
    const source = context?.source ?? '';
    return typeof value === 'number' && isRounded(source) ? source : value;
  });
}

/** The reader for all other engines: puts such integers into quotes, and parses the result. */
export function readByText(text: string): unknown {
  // With quotes, some text that is no JSON would become some.
  parse(text);
  return parse(text.replace(TOKEN, (token) => (isRounded(token) ? `"${token}"` : token)));
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
