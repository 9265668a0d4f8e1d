import express, { type Request } from 'express';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CSV_UTF_8 } from '../../../../src/http/answers/csv-list.ts';
import { JSON_UTF_8, prefers } from '../../../../src/http/answers/negotiation.ts';

/** Returns true if the list is sent as CSV, and false for JSON. */
function isCsv(accept: string | undefined): boolean {
  const req = { __proto__: express.request, headers: { accept } } as unknown as Request;
  return prefers(req, CSV_UTF_8, [JSON_UTF_8]);
}

test.each([
  'text/csv',
  'TEXT/CSV',
  'text/*',
  'text/csv; header=present',
  'text/csv;charset=utf-8',
  'text/csv; charset="UTF-8"',
  'text/csv; header=present; charset=utf-8',
  CSV_UTF_8,
  `${CSV_UTF_8}, */*;q=0.1`,
  'text/csv;header=present;q=0.5, application/json;q=0.4',
  'application/json;charset=iso-8859-1, text/csv;q=0.1',
])('%s is CSV', (accept) => {
  expect(isCsv(accept)).toBe(true);
});

test.each([
  undefined,
  '',
  '*/*',
  'text/html',
  'text/csv;q=0',
  'text/csv; header=present;q=0, text/*',
  'text/csv; header=absent',
  'text/csv; charset=iso-8859-1',
  'application/json; charset=utf-8, text/csv;q=0.9',
])('%s is JSON', (accept) => {
  expect(isCsv(accept)).toBe(false);
});

interface Range {
  readonly type: string;
  readonly parameters: readonly (readonly [name: string, value: string])[];
  readonly q: number | undefined;
}

const CSV = { type: 'text/csv', parameters: { charset: 'utf-8', header: 'present' } };
const JSON_OFFER = { type: 'application/json', parameters: { charset: 'utf-8' } };

/** Returns the quality of a representation, by the words of RFC 9110, section 12.5.1. */
function qualityOf({ type, parameters }: typeof CSV | typeof JSON_OFFER, ranges: readonly Range[]) {
  const [group] = type.split('/');
  const has: Readonly<Record<string, string>> = parameters;
  const precedences = [`*/*`, `${group}/*`, type];
  const matching = ranges
    .filter((range) => precedences.includes(range.type))
    .filter((range) => range.parameters.every(([name, value]) => has[name] === value))
    .map((range) => ({
      rank: precedences.indexOf(range.type) * 2 + Math.sign(range.parameters.length),
      q: range.q ?? 1,
    }));
  const highest = Math.max(...matching.map(({ rank }) => rank));
  return Math.max(0, ...matching.filter(({ rank }) => rank === highest).map(({ q }) => q));
}

/** Ranges, with the text of each as one of many clients may write it. */
const written = fc
  .record({
    type: fc.constantFrom('text/csv', 'text/*', '*/*', 'application/json', 'text/html'),
    parameters: fc.uniqueArray(
      fc.constantFrom(
        ...([
          ['charset', 'utf-8'],
          ['charset', 'iso-8859-1'],
          ['header', 'present'],
          ['header', 'absent'],
          ['version', '1'],
        ] as const),
      ),
      { selector: ([name]) => name, maxLength: 3 },
    ),
    q: fc.option(
      fc.integer({ min: 0, max: 1_000 }).map((thousandths) => thousandths / 1_000),
      { nil: undefined },
    ),
    blank: fc.constantFrom('', ' ', ' \t'),
    isQuoted: fc.boolean(),
    isUpper: fc.boolean(),
  })
  .map(({ blank, isQuoted, isUpper, ...range }) => {
    const shown = (value: string) => (isQuoted ? `"${value}"` : value);
    const pairs = range.parameters.map(([name, value]) => `${name}=${shown(value)}`);
    const parts = [range.type, ...pairs].map((part) => (isUpper ? part.toUpperCase() : part));
    const weight = range.q === undefined ? [] : [`q=${range.q}`];
    return { range, text: [...parts, ...weight].join(`${blank};${blank}`) };
  });

test('whatever the parameters and weights, the representation of higher quality is sent', () => {
  fc.assert(
    fc.property(fc.array(written, { minLength: 1, maxLength: 5 }), (all) => {
      const ranges = all.map(({ range }) => range);
      const [csv, json] = [qualityOf(CSV, ranges), qualityOf(JSON_OFFER, ranges)];
      // Of two that are as good, the server may send either; JSON stands for none.
      if (csv === json && csv > 0) return;
      expect(isCsv(all.map(({ text }) => text).join(', '))).toBe(csv > json);
    }),
    { numRuns: 1_000 },
  );
});
