import fc, { type Arbitrary, type StringConstraints } from 'fast-check';

/** Text of any characters. fast-check's own takes a second in each process, for a table of them all. */

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;
const LAST_CODE_POINT = 0x10ffff;

const characters = fc.nat(LAST_CODE_POINT - SURROGATES).map(
  (index) => String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES),
  (character) => {
    const [first, ...others] = typeof character === 'string' ? [...character] : [];
    const codePoint = first?.isWellFormed() ? first.codePointAt(0) : undefined;
    if (codePoint === undefined || others.length > 0) throw new Error('It is not one character.');
    return codePoint < FIRST_SURROGATE ? codePoint : codePoint - SURROGATES;
  },
);

/** Draws well-formed text of any characters, as `fc.string({ unit: 'binary' })` does. */
export function anyText(constraints: Omit<StringConstraints, 'unit'> = {}): Arbitrary<string> {
  return fc.string({ ...constraints, unit: characters });
}
