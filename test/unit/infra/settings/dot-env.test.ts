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

/** Returns the variables of a text; `undefined` if it is refused. */
function read(text: string): object | undefined {
  try {
    return { ...parseDotEnv(text) };
  } catch {
    return undefined;
  }
}

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
    ['a blank is no value', 'A= \nB=1', { A: '', B: '1' }],
    ['a comment follows a blank', 'A=1 # one\n # two\nB="#2"# three', { A: '1', B: '#2' }],
    [
      'a line end is written in double quotes only',
      'A="1\\n2"\nB=1\\n2',
      { A: '1\n2', B: '1\\n2' },
    ],
    ['the last of several counts', 'A=1\nA=2', { A: '2' }],
    ['names of any kind are names', '__proto__=1', JSON.parse('{"__proto__":"1"}')],
  ])('%s', (_, text, variables) => {
    expect(read(text)).toEqual(variables);
  });

  it('sets the same, whatever the lines behind it are', () => {
    const unit = fc.constantFrom(...'AB= "\'`#\n\t');
    const quote = fc.constantFrom('"', "'", '`');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 16 }), quote, (text, mark) => {
        const [alone, together] = [text, `${text}\nZ=${mark}1${mark}`].map(read);
        expect(together).toEqual(alone && { ...alone, Z: '1' });
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['a quote that is not closed', 'A=1\nB="2\nC="3"\n', 2],
    ['a text behind a closed quote', 'A="1" 2\n', 1],
    ['a text right behind a closed quote', "A='1'2\n", 1],
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
