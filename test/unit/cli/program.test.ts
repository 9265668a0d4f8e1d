import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../../src/app/lifecycle/user-error.ts';
import { programFor, run } from '../../../src/cli/program.ts';
import { nodesOf, treeOf } from '../../../src/cli/shared/command-tree.ts';
import { Place } from '../../support/command-line.ts';

const never = () => expect.fail('nobody asked for it');
const COMPOSITION = {
  environment: {},
  serve: never,
  demo: never,
  witness: never,
  engine: never,
  proverOf: never,
  newSigningKey: never,
  settings: never,
  verifierKey: never,
  signer: never,
  lock: never,
  workingTable: never,
  decoder: never,
};

/** Commands that print no JSON, each with the reason. */
const NO_JSON: Readonly<Record<string, string>> = {
  serve: 'its log is JSON',
  demo: 'its log is JSON',
  witness: 'its log is JSON',
  'audit public-key': 'a text to be kept as it is',
  'audit checkpoint': 'a text to be kept as it is',
  'audit epochs': 'texts to be kept as they are',
  'audit prove': 'it is JSON in any case',
  'audit receipt': 'a text to be kept as it is',
  'audit export': 'it is JSON in any case',
  'audit tiles': 'what it writes is files',
  replay: 'it has --format',
  completion: 'it is for a shell',
  man: 'it is for man',
  help: 'it is for people',
};

const tree = treeOf(await programFor({ composition: COMPOSITION, terminal: process }));
const nodes = nodesOf(tree).slice(1);

test('without a command, the service is run', async () => {
  const place = new Place();
  expect(await place.run()).toEqual({ code: 0, out: '', err: '' });
  expect(place.started).toEqual(['serve']);
});

test('serve is given the settings of its options', async () => {
  const place = new Place();
  await place.run('serve', '--port', '80', '--host', '::1', '--db', 'sqlite:x.db', '--wait=5');
  expect(place.started).toEqual(['serve --port 80 --host ::1 --db sqlite:x.db --wait 5']);
});

test.each(['serve', 'demo'])('%s starts what it says', async (command) => {
  const place = new Place();
  expect(await place.run(command)).toMatchObject({ code: 0 });
  expect(place.started).toEqual([command]);
});

test.each(['--version', '-V'])('%s prints the version of the package', async (flag) => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(await new Place().run(flag)).toEqual({ code: 0, out: `${version}\n`, err: '' });
});

test.each([['--help'], ['help']])('%s names every command', async (...words) => {
  const { code, out, err } = await new Place().run(...words);
  expect([code, err]).toEqual([0, '']);
  for (const { words, summary } of tree.below) {
    expect(out).toMatch(new RegExp(`^  ${words[0]} .*${summary.slice(0, 12)}`, 'm'));
  }
});

describe.each(nodes.map((node) => [node.words.join(' '), node] as const))('%s', (name, node) => {
  test('is explained by --help and by help, with examples', async () => {
    const { code, out, err } = await new Place().run(...node.words, '--help');
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain(`Usage: store-orders ${name}`);
    if (node.below.length === 0) expect(out).toContain('\nExamples:\n');
    expect(await new Place().run('help', ...node.words)).toEqual({ code: 0, out, err: '' });
  });

  test('prints JSON, or has a reason not to', () => {
    const hasJson = node.flags.some(({ flags }) => flags.includes('--json'));
    expect(node.below.length > 0 || hasJson !== name in NO_JSON).toBe(true);
  });
});

test('every example is one of its command, with its options', async () => {
  for (const { words, explained } of nodes) {
    for (const { line } of explained.examples) {
      const [command = ''] = line.split(/ (?:[|<>]|&&)/, 1);
      expect(`${command} `).toContain(`${words.join(' ')} `);
      const [given] = await parsed(command.split(' '));
      expect(given, line).toBe(words.join(' '));
    }
  }
});

test('no two commands are told from one another by the value of an option', () => {
  // The completions look for subcommands without regard to options.
  for (const { below, flags } of nodesOf(tree)) {
    if (below.length > 0) expect(flags.filter(({ value }) => value !== undefined)).toEqual([]);
  }
});

/** Parses a command line with the real options. Returns the words of the command that would run. */
async function parsed(words: readonly string[]): Promise<string[]> {
  const run: string[] = [];
  const terminal = { stdin: process.stdin, stdout: process.stdout, stderr: new PassThrough() };
  const program = await programFor({ composition: COMPOSITION, terminal });
  for (const { words, explained } of nodesOf(treeOf(program)).slice(1)) {
    // Files of examples are not there.
    for (const option of explained.options) {
      if (/^--(?:v?key|log|witness-policy)$/.test(option.long ?? ''))
        option.parseArg = (text) => text as never;
      // It may also be given in the environment.
      if (option.envVar !== undefined) option.makeOptionMandatory(false);
    }
    explained.action(() => void run.push(words.join(' ')));
  }
  await program.parseAsync(words, { from: 'user' });
  return run;
}

test.each([
  { args: ['bogus'], message: "unknown command 'bogus'" },
  { args: ['--bogus'], message: "unknown option '--bogus'" },
  {
    args: ['serve', '--prot', '1'],
    message: "unknown option '--prot'\nstore-orders: (Did you mean --port?)",
  },
  { args: ['aduit'], message: "unknown command 'aduit'\nstore-orders: (Did you mean audit?)" },
  { args: ['help', 'keys', 'bogus'], message: "there is no command 'keys bogus'" },
  { args: ['serve', 'twice'], message: "too many arguments for 'serve'" },
  {
    args: ['follow', '--checkpoint', 'a', '--post', 'http://me:secret@shop.example.com/'],
    message:
      "option '--post <address>' argument 'http://me:…@shop.example.com/' is invalid. " +
      'It must have neither a user nor a password',
  },
  { args: ['backup', ''], message: "argument 'file' is empty" },
  { args: ['audit', 'export', '--out', ''], message: "option '--out <file>' is empty" },
  { args: ['orders', 'list', '--url='], message: "option '--url <url>' is empty" },
  {
    args: ['verify', '--checkpoint', 'a', '--checkpoint', ''],
    message: "'--checkpoint <file>' is empty",
  },
  { args: ['keys', 'bogus'], message: "unknown command 'bogus'" },
  { args: ['keys', 'create'], message: "required option '--name <name>' not specified" },
  { args: ['keys', 'create', '--name', 'x', '--burst', '5'], message: '--burst needs a rate' },
  { args: ['keys', 'limit'], message: "missing required argument 'id'" },
  { args: ['keys', 'limit', 'x'], message: 'name a limit: --rate' },
  { args: ['import'], message: "missing required argument 'file'" },
  { args: ['import', 'x', '--format', 'xml'], message: "'xml' is invalid" },
])('$args is a usage error', async ({ args, message }) => {
  const place = new Place();
  const { code, out, err } = await place.run(...args);
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(/^store-orders: /);
  expect(err).toContain(message);
  expect(place.started).toEqual([]);
});

test.each([
  { args: ['bogus'], help: 'store-orders --help' },
  { args: ['serve', '--bogus'], help: 'store-orders serve --help' },
  { args: ['keys', 'bogus'], help: 'store-orders keys --help' },
  { args: ['keys', 'create'], help: 'store-orders keys create --help' },
  { args: ['keys', 'limit', 'x'], help: 'store-orders keys limit --help' },
  { args: ['import', 'x', '--format', 'xml'], help: 'store-orders import --help' },
  { args: ['orders', 'place', '--pet-id', 'x'], help: 'store-orders orders place --help' },
])('after the usage error of $args, $help is to be tried', async ({ args, help }) => {
  const { err } = await new Place().run(...args);
  expect(err.split('\n').slice(-2)).toEqual([`Try ${help}`, '']);
  const explained = await new Place().run(...help.split(' ').slice(1));
  expect(explained).toMatchObject({ code: 0, err: '' });
  expect(explained.out).toContain(`Usage: ${help.replace(' --help', '')}`);
});

test.each([new UserError('one\ntwo'), new Error('one\ntwo'), 'one\ntwo'])(
  'a failure is told, each line with the name of the program',
  async (failure) => {
    const stderr = new PassThrough();
    const fail = () => Promise.reject(failure);
    const composition = { ...COMPOSITION, serve: fail };
    const terminal = { stdin: process.stdin, stdout: process.stdout, stderr };
    expect(await run(['node', 'store-orders'], composition, terminal)).toBe(1);
    expect(String(stderr.read())).toBe('store-orders: one\nstore-orders: two\n');
  },
);

test("an error of the system that nothing has worded begins with its file's name", async () => {
  const place = new Place();
  const out = `${place.write('plain', '')}/x`;
  expect(await place.run('audit', 'export', '--out', out)).toEqual({
    code: 1,
    out: '',
    err: `store-orders: ${out} cannot be used: ENOTDIR: not a directory, lstat '${out}'.\n`,
  });
});
