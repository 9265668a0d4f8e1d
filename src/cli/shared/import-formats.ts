/** The formats of files of orders that are imported. */

import Papa from 'papaparse';
import {
  bad,
  isProperty,
  PROPERTIES,
  type Property,
  quoted,
  type Reading,
  readImportedOrder,
} from '../../app/import/imported-order.ts';
import { UserError } from '../../app/lifecycle/user-error.ts';

export const FORMATS = ['ndjson', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

const REQUIRED: readonly Property[] = ['id', 'petId', 'quantity'];
const MISQUOTED = 'its quotes do not match';

/** Reads a line that is not blank. Returns `undefined` for a header. */
export type LineReader = (line: string) => Reading | undefined;

export function readerFor(format: Format): LineReader {
  return format === 'csv' ? csvReader() : readJson;
}

function readJson(line: string): Reading {
  const value = parseJson(line);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return bad('it is not a JSON object');
  }
  const fields: { -readonly [Name in Property]?: string } = {};
  for (const [name, content] of Object.entries(value)) {
    if (!isProperty(name)) return bad(unknownProperty(name));
    if (typeof content === 'object' && content !== null) {
      return bad(`${name} must be a single value`);
    }
    if (content !== null) fields[name] = String(content);
  }
  return readImportedOrder(fields);
}

// A line that may hold a number which JSON.parse by itself would not give back as it is written: of
// more digits than a double has, with a fraction or an exponent, or -0. Few lines do.
const INEXACT = /"\s*:\s*(?:-?\d{16}|-?\d+[.eE]|-0)/;

function parseJson(line: string): unknown {
  try {
    return INEXACT.test(line) ? JSON.parse(line, keepDigits) : JSON.parse(line);
  } catch {
    return undefined;
  }
}

// A number stays the text that it is in the file: as a JavaScript number it would lose its last
// digits beyond 2^53, and 1.0 would become 1. (TypeScript does not know the third argument yet.)
function keepDigits(_name: string, value: unknown, context?: { readonly source: string }): unknown {
  return typeof value === 'number' ? context?.source : value;
}

// No value of an order has a line break in it, so a record is a line.
function csvReader(): LineReader {
  let header: readonly Property[] | undefined;
  return (line) => {
    const cells = cellsOf(line);
    if (header === undefined) {
      header = readHeader(cells);
      return undefined;
    }
    if (cells === undefined) return bad(MISQUOTED);
    if (cells.length !== header.length) {
      return bad(`it has ${cells.length} values, and the header has ${header.length} columns`);
    }
    const fields: { -readonly [Name in Property]?: string } = {};
    for (const [index, name] of header.entries()) {
      const cell = cells[index] as string;
      if (cell !== '') fields[name] = cell;
    }
    return readImportedOrder(fields);
  };
}

// A line without quotes is split at its commas, which is ten times as fast. The end of a line is named,
// or the parser takes a carriage return in it for one: the orders behind it would be lost.
function cellsOf(line: string): readonly string[] | undefined {
  if (!line.includes('"')) return line.split(',');
  const { data, errors } = Papa.parse<string[]>(line, { delimiter: ',', newline: '\n' });
  return errors.length === 0 ? data[0] : undefined;
}

function readHeader(cells: readonly string[] | undefined): readonly Property[] {
  const flaw = flawInHeader(cells);
  if (flaw === undefined) return cells as readonly Property[];
  throw new UserError(
    `The first line is not a header: ${flaw}. It must name some of ${PROPERTIES.join(',')}; ` +
      `${REQUIRED.join(',')} among them.`,
  );
}

function flawInHeader(cells: readonly string[] | undefined): string | undefined {
  if (cells === undefined) return MISQUOTED;
  const unknown = cells.find((name) => !isProperty(name));
  if (unknown !== undefined) return unknownProperty(unknown);
  const missing = REQUIRED.find((name) => !cells.includes(name));
  if (missing !== undefined) return `${missing} is missing`;
  return new Set(cells).size < cells.length ? 'a column stands in it twice' : undefined;
}

function unknownProperty(name: string): string {
  return `unknown property ${quoted(name)}`;
}
