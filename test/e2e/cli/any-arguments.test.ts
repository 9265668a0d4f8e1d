import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Option } from 'commander';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { programFor } from '../../../src/cli/program.ts';
import { nodesOf, treeOf } from '../../../src/cli/shared/command-tree.ts';
import { EXIT_CODES } from '../../../src/cli/shared/exit-codes.ts';
import { requireSmallFile } from '../../../src/infra/process/small-file.ts';
import { Place, type Ran } from '../../support/command-line.ts';
import { isNightly, seedFrom } from '../../support/nightly.ts';
import { oneService, placeOrder } from '../../support/one-service.ts';
import { Random } from '../../support/random.ts';
import { newFolder, start } from '../../support/service.ts';

/**
 * The commands with whatever may stand on a command line. ARGUMENT_RUNS says how many runs there are, and
 * ARGUMENT_SEED repeats the same ones.
 */
const RUNS = Number(process.env.ARGUMENT_RUNS ?? (isNightly ? 1_000 : 130));
const SEED = seedFrom('ARGUMENT_SEED');

/** What a programming error leaves in a message, and what a terminal would take for a command. */
const MISTAKE =
  /TypeError|RangeError|ReferenceError|is not a function|not iterable|Cannot (?:read prop|destr)|undefined|\[object|^\S*\s+at .*:\d+:\d+|ERR_[A-Z]/m;
const CONTROL = /[^\P{Cc}\n\t]/u;

/** Commands that run until they are stopped, or change the home of the user. */
const LASTING = ['serve', 'demo', 'witness', 'login', 'logout'];
/** Options with which a command would run for long. */
const LONG = ['--watch', '--follow', '--interval', '--help'];

const home = process.cwd();
const { service } = await oneService();
await placeOrder(service);
afterAll(() => process.chdir(home));

let place: Place;
beforeEach(() => {
  place = new Place();
  process.chdir(place.folder);
  place.environment = { STORE_ORDERS_URL: service.address, STORE_ORDERS_KEY: service.key };
});

/** Makes files of every kind that commands read. Returns their names, and other values. */
async function valuesAt(place: Place): Promise<readonly string[]> {
  mkdirSync(place.file('folder'));
  const files: Readonly<Record<string, string | Buffer>> = {
    text: 'hello\n',
    bytes: Buffer.from([255, 254, 0, 1]),
    empty: '',
    json: '{"a":[1,null]}\n',
    'orders.ndjson': '{"id":1,"petId":1,"quantity":1}\n',
    'bad.csv': 'id,petId\n1,2\n',
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(place.file(name), content);
  await place.run('import', 'orders.ndjson');
  for (const [name, command] of [
    ['checkpoint', 'audit checkpoint'],
    ['key', 'audit public-key'],
    ['export', 'audit export'],
  ] as const) {
    place.write(name, (await place.run(...command.split(' '))).out);
  }
  return [
    ...Object.keys(files),
    ...['folder', 'checkpoint', 'key', 'export', '../none/x', '/', '/dev/null', '/dev/full'],
    ...[
      '0',
      '1',
      '-1',
      '1.5',
      '9223372036854775807',
      '99999999999999999999',
      'NaN',
      'true',
      'null',
    ],
    ...[
      'x',
      'é',
      'a b',
      'a\0b',
      '\u001b[31mred',
      'x'.repeat(5_000),
      '-',
      '--',
      '%',
      '{}',
      "'",
      '"',
    ],
    ...['1s', '100/s', '60x', 'pending', 'bash', 'orders:read', 'sto_abc'],
    ...['2026-01-01T00:00:00Z', '2026-13-01T00:00:00Z', 'sqlite:other.db', 'sqlite:store.db'],
  ];
}

/** Returns the flaw in what a command has left; `undefined` if it ended as it should. */
function flawIn({ code, err }: Ran): string | undefined {
  if (!(code in EXIT_CODES)) return `exit code ${code}`;
  return MISTAKE.exec(err)?.[0] ?? (code === 0 ? undefined : CONTROL.exec(err)?.[0]);
}

test(
  `${RUNS} command lines, from seed ${SEED}: each ends with an exit code, and says why`,
  async () => {
    const random = new Random(SEED);
    const values = await valuesAt(place);
    const composition = { environment: {} } as Parameters<typeof programFor>[0]['composition'];
    const tree = treeOf(await programFor({ composition, terminal: process }));
    const commands = nodesOf(tree).filter(({ words, below }) => {
      return words.length > 0 && below.length === 0 && !LASTING.includes(words.join(' '));
    });
    const given = ({ long, mandatory, required, argChoices }: Option): string[] => {
      if (long == null || LONG.includes(long)) return [];
      if (!mandatory && long !== '--once' && random.below(3) > 0) return [];
      if (!required) return [long];
      const choices = argChoices !== undefined && random.below(2) === 0 ? argChoices : values;
      return [`${long}=${random.oneOf(choices)}`];
    };
    const codes = new Set<number>();
    for (let run = 0; run < RUNS; run += 1) {
      const { words, explained } = random.oneOf(commands);
      const args = explained.registeredArguments.flatMap(({ required }) =>
        random.below(required ? 8 : 2) === 0 ? [] : [random.oneOf(values)],
      );
      const line = [...words, ...explained.options.flatMap(given), ...args];
      const ran = await place.run(...line);
      codes.add(ran.code);
      expect([line, ran, flawIn(ran)]).toEqual([line, ran, undefined]);
    }
    expect([...codes]).toEqual(expect.arrayContaining([0, 1, 2]));
  },
  240_000 + RUNS * 100,
);

test.each([
  [{ code: 10, out: '', err: '' }, 'exit code 10'],
  [
    { code: 1, out: '', err: "store-orders: Cannot read properties of null (reading 'x')\n" },
    'Cannot read prop',
  ],
  [{ code: 1, out: '', err: 'store-orders: x is undefined\n' }, 'undefined'],
  [{ code: 2, out: '', err: 'store-orders: \u009b31mred\n' }, '\u009b'],
])('%j is no way to end', (ran, flaw) => {
  expect(flawIn(ran)).toBe(flaw);
});

describe('A file without an end is read no further than it can be right', () => {
  const ENDLESS = '/dev/zero';
  test.each(
    [
      ['follow', '--once', '--exec', 'cat', '--checkpoint', ENDLESS],
      ['verify', '--checkpoint', ENDLESS],
      ['verify', '--key', ENDLESS],
      ['verify', '--receipt', ENDLESS],
      ['verify', '--export', ENDLESS],
      ['verify', '--witness-policy', ENDLESS],
      ['import', '--format', 'csv', ENDLESS],
      ['import', '--format', 'ndjson', ENDLESS],
      ['audit', 'import', '--unsigned', ENDLESS],
      ['monitor', '--once', '--state', 's', '--url', 'published', '--vkey', ENDLESS],
      ['monitor', '--once', '--state', ENDLESS, '--url', 'published', '--vkey', 'key'],
      ['monitor', '--once', '--state', 's', '--url', 'published', '--vkey', 'key'],
      ['audit', 'tiles', '--out', 'published'],
    ].map((line) => [line.join(' '), line] as const),
  )('%s', async (_, line) => {
    await valuesAt(place);
    mkdirSync(place.file('published'));
    symlinkSync(ENDLESS, place.file('published/checkpoint'));
    const ran = await place.run(...line);
    expect(ran).toMatchObject({
      code: expect.toSatisfy((code) => code > 0),
      err: /^store-orders: ./,
    });
    expect(flawIn(ran)).toBeUndefined();
  });

  test('by the service: its key, its policy of witnesses and its settings', async () => {
    const folder = newFolder();
    for (const setting of ['SIGNING_KEY_FILE', 'WITNESS_POLICY']) {
      const program = start(['serve'], folder, { PORT: '0', [setting]: ENDLESS });
      expect(await program.ended()).toBe(1);
      expect(program.stderr).toContain(`${ENDLESS} cannot be read: it has more than 1048576 bytes`);
    }
    symlinkSync(ENDLESS, join(folder, '.env'));
    const program = start(['serve'], folder, { PORT: '0' });
    expect(await program.ended()).toBe(1);
    expect(program.stderr).toContain('.env cannot be read: it has more than 1048576 bytes');
  });

  test('and standard input', async () => {
    const program = start(['login', '--url', service.address], newFolder());
    program.child.stdin?.on('error', () => {}).write('x'.repeat(10_000));
    expect(await program.ended()).toBe(1);
    expect(program.stderr).toBe('store-orders: What was given is too long for any API key.\n');
  });

  test('by one reader, which also refuses a folder', () => {
    expect(() => requireSmallFile('/')).toThrow('/ cannot be read: it is a folder');
  });
});
