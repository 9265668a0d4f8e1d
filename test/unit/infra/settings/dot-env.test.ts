import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDotEnv } from '../../../../src/infra/settings/dot-env.ts';

const name = fc.stringMatching(/^[A-Z][A-Z0-9_]{0,8}$/);
const bare = fc.stringMatching(/^[A-Za-z0-9:./@=?&-]{0,12}$/);
const quoted = fc.stringMatching(/^[A-Za-z0-9 #\n:./@=-]{0,12}$/);
/** Lines that set a variable, with the value that they set. */
const variable = fc.oneof(
  fc.record({ name, value: bare }).map((made) => ({ ...made, line: `${made.name}=${made.value}` })),
  fc
    .record({ name, value: bare })
    .map((made) => ({ ...made, line: `export ${made.name} = ${made.value} # a comment` })),
  fc
    .record({ name, value: quoted, quote: fc.constantFrom("'", '"', '`') })
    .map((made) => ({ ...made, line: `${made.name}=${made.quote}${made.value}${made.quote}` })),
);
const other = fc.constantFrom('', '   ', '# PORT=1', '  # it\'s "quoted"');

describe('A .env file', () => {
  it('sets what its lines say, whichever editor has written it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(variable, other)),
        fc.constantFrom('', '\uFEFF'),
        fc.constantFrom('\n', '\r\n'),
        (lines, mark, lineEnd) => {
          const text = lines.map((line) => (typeof line === 'string' ? line : line.line));
          const values = lines.flatMap((line) =>
            typeof line === 'string' ? [] : [[line.name, line.value]],
          );
          expect(parseDotEnv(mark + text.join('\n').replaceAll('\n', lineEnd))).toEqual(
            Object.fromEntries(values),
          );
        },
      ),
    );
  });

  it.each([
    ['a name alone', 'PORT=1\nPORT\n', 2],
    ['a colon', 'PORT : 4000', 1],
    ['a value that would be cut off', '\n\nDATABASE_URL=sqlite:./da#ta.db\n', 3],
    ['a line behind a value of several', 'A="1\n2"\nB\n', 3],
    ['a byte order mark that is not the first', 'A=1\n\uFEFF\uFEFFB=1\n', 2],
  ])('is refused for %s', (_, text, line) => {
    expect(() => parseDotEnv(text)).toThrow(
      `.env, line ${line}: a line must be NAME=VALUE; a value with a # in it belongs in quotes.`,
    );
  });
});
