/**
 * Compares the output shown in a page with real output. They have to be equal except for
 *
 * - elided lines: a line that is only `…` matches any number of lines;
 * - values that vary between runs, such as ids and times: any value of the same form matches.
 */

export interface Matching {
  /** True if the ids of orders vary too, because the store may have had orders before. */
  readonly idsVary?: boolean;
}

interface Varying {
  /** A pattern of the text before the value, if the form alone does not identify it. */
  readonly after?: string;
  readonly form: string;
  readonly before?: string;
  /** Returns the form that the real value must have, if that depends on the shown value. */
  readonly likewise?: (shown: string) => string;
}

const KEY_ID = '[0-9A-Za-z]{10}';
const SECOND = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d';
const BETWEEN_SECONDS = '\\.(?!000)\\d{3}Z';

const VARYING: readonly Varying[] = [
  { form: `sto_${KEY_ID}_[0-9A-Za-z]{49}` },
  { after: '\\bthe key |\\bAPI key |"by":"|\\bby first \\(', form: KEY_ID },
  { form: '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}' },
  { after: '\\bstore-orders/', form: '[0-9a-f]{16}' },
  { after: '\\broot is ', form: '[\\w+/]{43}=' },
  {
    // A time on a full second was given by the page, such as a ship date, and does not vary.
    form: SECOND + BETWEEN_SECONDS,
    likewise: (shown) => {
      return `(?:${SECOND}${BETWEEN_SECONDS}|(?!${shown.slice(0, 10)})${SECOND}\\.000Z)`;
    },
  },
  { form: '\\d{4}-\\d\\d-\\d\\d at \\d\\d:\\d\\d:\\d\\d\\.\\d{3} UTC' },
  { after: '"durationMs":', form: '\\d+(?:\\.\\d+)?' },
  // The schema version, and with it the size of a file, varies between versions of the program.
  { after: '\\bfrom version 0 to ', form: '\\d+' },
  { form: '\\d+', before: ' bytes\\b' },
];

const ORDER_ID: Varying = { after: '"id":', form: '\\d+' };

export function matches(shown: string, output: string, { idsVary }: Matching = {}): boolean {
  const varying = idsVary ? [...VARYING, ORDER_ID] : VARYING;
  const lines = shown.trim().split('\n');
  const parts = lines.map((line) => (line === '…' ? '[\\s\\S]*' : patternOf(line, varying)));
  return new RegExp(`^${parts.join('\n')}$`).test(output.trim());
}

function patternOf(line: string, varying: readonly Varying[]): string {
  const known = varying.map(({ after = '', form, before = '(?![0-9A-Za-z])' }) => {
    return `(?<=${after})(${form})(?=${before})`;
  });
  let pattern = '';
  let end = 0;
  for (const found of line.matchAll(new RegExp(known.join('|'), 'g'))) {
    const [value, ...groups] = found;
    const { form, likewise } = varying[groups.findIndex((group) => group !== undefined)] as Varying;
    pattern += RegExp.escape(line.slice(end, found.index)) + (likewise?.(value) ?? form);
    end = found.index + value.length;
  }
  return pattern + RegExp.escape(line.slice(end));
}
