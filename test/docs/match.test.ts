import { describe, expect, test } from 'vitest';
import { matches } from './match.ts';

const KEY = `sto_Hs6IzlXByd_${'a1B2c3D'.repeat(7)}`;
const HASH = 'wBi6NMhfsis3jsrDZ8KyrqcmtzvxpOtl37W1Kdkadak=';

/** Output as pages show it, with the values that may vary within their form marked as «value». */
const SHOWN = `Made the key «Hs6IzlXByd», called operator, for orders:read; it expires: «2027-02-19T13:54:39.150Z».
«${KEY}»
{"id":1,"petId":9007199254740993,"quantity":1,"shipDate":"2026-01-31T12:00:00.000Z","placedAt":"«2026-11-21T13:54:44.832Z»"}
{"position":2,"version":1,"by":"«Hs6IzlXByd»","commandid":"«07b09690-dd7c-4e1c-a270-164e36738600»"}
  by first («Hs6IzlXByd»)
Copied the store: 1 events. Their root is «${HASH}»
store-orders/«fb4b0e07caf02b8d», for 4 events
Wrote monday.db, «24576» bytes.
The schema went from version 0 to «1».
order 1002 shipped 2026-01-31T12:00:00.000Z, by import
{"durationMs":«1.59»,"msg":"request"}
204
exit code 3`;

const shown = SHOWN.replaceAll(/[«»]/g, '');

/** The positions of the digits that may vary. */
const varying = new Set(
  [...SHOWN.matchAll(/«([^»]*)»/g)].flatMap(({ index, 1: value = '' }, nth) => {
    const start = index - 2 * nth;
    return Array.from(value, (_, offset) => start + offset);
  }),
);

function planted(text: string, at: number): string {
  return text.slice(0, at) + ((Number(text[at]) + 1) % 10) + text.slice(at + 1);
}

const digits = [...shown.matchAll(/\d/g)].map(({ index }) => index);

describe('Real output matches the shown output', () => {
  test('if both are equal', () => {
    expect(matches(shown, shown)).toBe(true);
  });

  test('if a digit differs in a value that varies between runs, and not in any other', () => {
    const unnoticed = digits.filter((at) => matches(planted(shown, at), shown));
    expect(unnoticed).toEqual(digits.filter((at) => varying.has(at)));
    expect(unnoticed.length).toBeGreaterThan(100);
    expect(digits.length - unnoticed.length).toBeGreaterThan(50);
  });

  test('never if a word, a line or a space differs', () => {
    for (const other of [
      shown.replace('operator', 'operators'),
      shown.replace('quantity', 'Quantity'),
      shown.replace('204\n', ''),
      shown.replace('204\n', '204\n204\n'),
      shown.replace('  by first', ' by first'),
      shown.replace('exit code 3', 'exit code 3 or so'),
      '',
    ]) {
      expect(matches(shown, other), other).toBe(false);
      expect(matches(other, shown), other).toBe(false);
    }
  });

  test('never if a varying value has another form', () => {
    expect(matches(shown, shown.replace('Hs6IzlXByd', 'Hs6IzlXBy'))).toBe(false);
    expect(matches(shown, shown.replace(HASH, HASH.slice(1)))).toBe(false);
    expect(matches(shown, shown.replace('24576 bytes', 'some bytes'))).toBe(false);
    expect(matches(shown, shown.replace('13:54:44.832Z', '13:54:44Z'))).toBe(false);
  });

  test('if the page elides whole lines, and not parts of lines', () => {
    expect(matches('a\n…\nd', 'a\nb\nc\nd')).toBe(true);
    expect(matches('a\n…', 'a\nb\nc')).toBe(true);
    expect(matches('…\nc', 'a\nb\nc')).toBe(true);
    expect(matches('a\n…\nd', 'a\nb\nc\ne')).toBe(false);
    expect(matches('a …', 'a b')).toBe(false);
    expect(matches('', 'a')).toBe(false);
  });

  test('if the id of an order differs, but only with the option for it', () => {
    const order = '{"id":1,"petId":7}';
    const later = '{"id":12,"petId":7}';
    expect(matches(order, later)).toBe(false);
    expect(matches(order, later, { idsVary: true })).toBe(true);
    expect(matches(order, '{"id":12,"petId":8}', { idsVary: true })).toBe(false);
  });
});
