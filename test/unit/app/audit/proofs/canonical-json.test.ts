import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifyCanonicalJson } from '../../../../../src/app/audit/proofs/verifier.ts';
import { canonicalJson } from '../../../../support/canonical-json.ts';

/** Texts with everything that has to be escaped, is sorted in a way of its own, or is half of something. */
const names = fc.string({
  unit: fc.constantFrom(
    ...['a', 'B', '1', '10', '2', ',', '"', '\\', '/', '\0', '\n', '\u001f', '\u007f', '\u0080'],
    ...['ö', '\u2028', '€', '\ufb33', '\uffff', '🐶', '𐀀', '__proto__', 'toJSON', 'valueOf'],
  ),
  maxLength: 3,
});
/**
 * Names that JSON writes as they are. The JSON.parse of Node 24.21 misreads some names with escapes where
 * another object had them before, such as `{"\\\\\u001f":1}`; TEXTS has names with escapes that it reads.
 */
const plainNames = names.filter((name) => JSON.stringify(name) === `"${name}"`);
const { value: values } = fc.letrec<{ value: unknown; leaf: unknown }>((tie) => ({
  leaf: fc.oneof(
    names,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  ),
  value: fc.oneof(
    { maxDepth: 4 },
    tie('leaf'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .array(fc.tuple(plainNames, tie('value')), { maxLength: 4 })
      .map((members) => objectOf(members)),
  ),
}));

/** An object with just these members, also where a name would mean something else in a literal. */
function objectOf(members: readonly (readonly [string, unknown])[]): object {
  const text = members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return JSON.parse(`{${text.join(',')}}`) as object;
}

/** Texts, and whether they are canonical: RFC 8785, section 3.2.3 and appendix B, and what is like it. */
const TEXTS: readonly (readonly [text: string, isCanonical: boolean])[] = [
  ['{"\\n":1,"\\r":1,"1":1,"</script>":1,"\u0080":1,"ö":1,"€":1,"😂":1,"דּ":1}', false],
  ['{"\\n":1,"\\r":1,"1":1,"</script>":1,"\u0080":1,"ö":1,"€":1,"😀":1,"\ufb33":1}', true],
  ['{"\\n":1,"\\r":1,"1":1,"</script>":1,"\u0080":1,"ö":1,"€":1,"\ufb33":1,"😀":1}', false],
  ['{"10":1,"9":1}', true],
  ['{"9":1,"10":1}', false],
  ['{"a":{"b":1,"a":1}}', false],
  ['[{"b":[{"d":1,"c":1}]}]', false],
  ...['0', '5e-324', '1.7976931348623157e+308', '9007199254740992', '295147905179352830000'].map(
    (text): [string, boolean] => [text, true],
  ),
  ...['1e+27', '9.999999999999997e+22', '1e+23', '0.000001', '333333333.3333333'].map(
    (text): [string, boolean] => [text, true],
  ),
  ...['-0', '1.0', '1e0', '1E+27', '01', '+1', '9007199254740993', '1e400', '0.0000010'].map(
    (text): [string, boolean] => [text, false],
  ),
  ['"\\u0000"', true],
  ['"\\u00e9"', false],
  ['"\\/"', false],
  ['"\\ud83d"', false],
  ['"\\ud83d\\udc36"', false],
  ['{"\\udc36":1}', false],
  ['"\ud83d"', false],
  ['\ufeff1', false],
  ['1\0', false],
  [' 1', false],
  ['1\n', false],
  ['', false],
  ['{"a":1,"a":1}', false],
  ['{"__proto__":1}', true],
  ['{"valueOf":1}', true],
  ['{"toJSON":1}', true],
  [`${'['.repeat(100)}${']'.repeat(100)}`, true],
  [`${'['.repeat(102)}${']'.repeat(102)}`, false],
];

describe('Canonical JSON', () => {
  it('is the output of an independent canonicalizer, for any value', () => {
    fc.assert(
      fc.property(values, (value) => {
        // A double may be −0, which is written as 0.
        expect(verifyCanonicalJson(canonicalJson(value))).toEqual({ ok: true, value: undefined });
      }),
      { numRuns: 500 },
    );
  });

  it('is the only accepted text of a value', () => {
    fc.assert(
      fc.property(values, fc.nat(), fc.nat(), (value, at, kind) => {
        const text = canonicalJson(value);
        const other = respelled(text, at, kind % RESPELLINGS.length);
        fc.pre(other !== text && isJson(other));
        expect(verifyCanonicalJson(other).ok, other).toBe(
          canonicalJson(JSON.parse(other)) === other,
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(TEXTS)('%j', (text, isCanonical) => {
    expect(verifyCanonicalJson(text).ok).toBe(isCanonical);
  });

  it('is refused for a text nested more deeply than a stack allows', () => {
    const text = `${'{"a":'.repeat(1_000_000)}1${'}'.repeat(1_000_000)}`;
    expect(verifyCanonicalJson(text)).toEqual({
      ok: false,
      reason: 'the JSON is nested too deeply',
    });
  });
});

const RESPELLINGS: readonly ((text: string, at: number) => string)[] = [
  (text, at) => `${text.slice(0, at)} ${text.slice(at)}`,
  (text, at) => text.slice(0, at) + text.slice(at + 1),
  (text, at) => text.slice(0, at) + text.slice(at, at + 1) + text.slice(at),
  (text, at) => `${text.slice(0, at)}.0${text.slice(at)}`,
  (text, at) => `${text.slice(0, at)}e0${text.slice(at)}`,
  (text, at) => `${text.slice(0, at)}-${text.slice(at)}`,
  (text, at) =>
    `${text.slice(0, at)}\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}${text.slice(at + 1)}`,
  (text) => text.replace(/("[^"\\]*":[^,{}[\]]+),("[^"\\]*":[^,{}[\]]+)/, '$2,$1'),
  (text) => text.replace(/("[^"\\]*":[^,{}[\]]+)/, '$1,$1'),
];

function respelled(text: string, at: number, kind: number): string {
  return RESPELLINGS[kind]?.(text, at % text.length) ?? text;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
