import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import Database from 'better-sqlite3';
import type { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { programFor, run } from '../../../src/cli/program.ts';
import { composition } from '../../../src/composition.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { newDatabase } from '../../support/postgres/databases.ts';

/** Arguments with which each command reaches its store; `ADDRESS` is the store's address. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  'keys list': [],
  'keys revoke': ['Hs6IzlXByd'],
  'keys limit': ['Hs6IzlXByd', '--rate', '100/s'],
  backup: ['copy.db'],
  'audit show': ['1'],
  'audit public-key': [],
  'audit checkpoint': [],
  'audit prove': ['1'],
  'audit receipt': ['1'],
  'audit new-key': [],
  'audit epochs': [],
  'audit export': ['--out', 'export.ndjson'],
  'audit tiles': ['--out', 'tiles'],
  'audit refusals': [],
  replay: ['--out', 'list.json'],
  verify: [],
  'accept-loss': [],
  'migrate-store': ['--from', 'ADDRESS', '--to', 'sqlite:./copy.db'],
};

/** Commands that may create a store; and those that need none, or only create one. */
const MAKERS = ['serve', 'demo', 'keys create', 'import', 'audit import'];
const OTHERS = [
  ...['conformance', 'migrate', 'config', 'completion', 'man', 'help'],
  ...[
    'orders list',
    'orders get',
    'orders place',
    'orders ship',
    'orders cancel',
    'events',
    'follow',
    'monitor',
  ],
  ...['login', 'logout', 'witness'],
];

function commandsIn(command: Command, path: readonly string[] = []): string[] {
  return command.commands.flatMap((each) => {
    const name = [...path, each.name()];
    return each.commands.length > 0 ? commandsIn(each, name) : [name.join(' ')];
  });
}

let folder: string;
const before = { cwd: process.cwd(), url: process.env.DATABASE_URL };

beforeEach(() => {
  folder = temporaryFolder();
  process.chdir(folder);
});

afterEach(() => {
  process.chdir(before.cwd);
  if (before.url === undefined) delete process.env.DATABASE_URL;
  else process.env.DATABASE_URL = before.url;
});

async function ran(address: string, ...args: readonly string[]) {
  process.env.DATABASE_URL = address;
  // A file of Vite.
  delete process.env.BASE_URL;
  const texts = { stdout: '', stderr: '' };
  const output = (name: keyof typeof texts) =>
    new Writable({
      decodeStrings: false,
      write(text: string, _encoding, done) {
        texts[name] += text;
        done();
      },
    });
  const terminal = { stdin: process.stdin, stdout: output('stdout'), stderr: output('stderr') };
  const code = await run(['node', 'store-orders', ...args], composition, terminal);
  return { code, ...texts };
}

/** Returns the contents of the folder, with the size of each file. */
function contents(): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(
      (name) =>
        `${name} ${statSync(join(folder, name)).isFile() && statSync(join(folder, name)).size}`,
    )
    .sort();
}

/** Addresses without a store: a description, the address, and the name in the message. */
const ADDRESSES: readonly [
  string,
  address: string,
  named: string,
  prepare?: (file: string) => void,
][] = [
  ['a missing file', 'sqlite:./b.db', './b.db'],
  [
    'a missing file of an absolute address',
    'sqlite:///tmp/no-such-folder/b.db',
    '/tmp/no-such-folder/b.db',
  ],
  ['a file in a missing folder', 'sqlite:./no/such/b.db', './no/such/b.db'],
  ['an empty file', 'sqlite:./b.db', './b.db', (file) => writeFileSync(file, '')],
  ['a folder', 'sqlite:./b.db', './b.db', (file) => mkdirSync(file)],
  ['a text file', 'sqlite:./b.db', './b.db', (file) => writeFileSync(file, 'Dear diary,')],
  [
    'a file below a file',
    'sqlite:./b/c.db',
    './b/c.db',
    (file) => writeFileSync(dirname(file), ''),
  ],
  [
    'a database without tables',
    'sqlite:./b.db',
    './b.db',
    (file) => new Database(file).exec('VACUUM').close(),
  ],
  [
    'a database of another program',
    'sqlite:./b.db',
    './b.db',
    (file) => new Database(file).exec('CREATE TABLE pets (id)').close(),
  ],
  ['a file with a query', 'sqlite:./b.db?mode=memory', './b.db?mode=memory'],
];

/** Texts that are no addresses: a description, and the text. */
const NO_ADDRESSES = [
  ['sqlite:// and a relative path', 'sqlite://data/b.db'],
  ['a SQLite URI', 'sqlite:file:b.db'],
  ['a space in front', 'sqlite: b.db'],
  ['another scheme', 'sqlit:./b.db'],
  ['a path alone', './b.db'],
] as const;

test('Every command creates a store, needs none, or is tested without one', async () => {
  const program = await programFor({ composition, terminal: process });
  expect(commandsIn(program).sort()).toEqual(
    [...Object.keys(ARGUMENTS), ...MAKERS, ...OTHERS].sort(),
  );
});

describe.each(Object.entries(ARGUMENTS))('%s without a store', (command, given) => {
  it.each(ADDRESSES)(
    'on %s is refused with one sentence, and leaves no file behind',
    async (_, address, named, prepare) => {
      const file = join(folder, address.replace(/^sqlite:/, ''));
      prepare?.(file);
      const found = contents();
      const args = given.map((text) => (text === 'ADDRESS' ? address : text));
      const { code, stdout, stderr } = await ran(address, ...command.split(' '), ...args);
      expect(code, stderr).toBe(1);
      expect(stdout).toBe('');
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
      expect(stderr).toContain(named);
      expect(contents()).toEqual(found);
    },
  );

  it.each(NO_ADDRESSES)('on %s is refused, and leaves no file behind', async (_, address) => {
    const args = given.map((text) => (text === 'ADDRESS' ? address : text));
    const { code, stdout, stderr } = await ran(address, ...command.split(' '), ...args);
    // An option of the command line is a usage error; DATABASE_URL is not.
    const [exitCode, refusal] = args.includes(address)
      ? [2, /^store-orders: --from: .* sqlite:FILE, .*\nTry store-orders migrate-store --help\n$/]
      : [1, /^store-orders: .* sqlite:FILE, .*\n$/];
    expect(code, stderr).toBe(exitCode);
    expect(stdout).toBe('');
    expect(stderr).toMatch(refusal);
    expect(contents()).toEqual([]);
  });

  it.skipIf(['backup', 'accept-loss'].includes(command))(
    'on a PostgreSQL database without one is refused',
    async () => {
      const url = await newDatabase(18, 'template1');
      const args = given.map((text) => (text === 'ADDRESS' ? url : text));
      const { code, stderr } = await ran(url, ...command.split(' '), ...args);
      expect(code, stderr).toBe(1);
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
      expect(stderr).toMatch(/no store in postgres:|SIGNING_KEY_FILE/);
      expect(contents()).toEqual([]);
    },
  );
});

describe('A command that may create a store creates it, and reports it:', () => {
  it('keys create', async () => {
    const { code, stderr } = await ran('sqlite:./b.db', 'keys', 'create', '--name', 'one');
    expect(code).toBe(0);
    expect(stderr).toMatch(`Made a new store: ${join(folder, 'b.db')}\n`);
    const again = await ran('sqlite:./b.db', 'keys', 'create', '--name', 'two');
    expect(again.stderr).not.toContain('Made a new store');
  });

  it('keys create, on PostgreSQL', async () => {
    const url = await newDatabase(18, 'template1');
    const { code, stderr } = await ran(url, 'keys', 'create', '--name', 'one');
    expect(code).toBe(0);
    expect(stderr).toContain(`Made a new store: postgres://`);
    expect(stderr).not.toContain(`Made a new store: ${url}`);
  });

  it('import', async () => {
    writeFileSync('orders.ndjson', '{"id":1,"petId":7,"quantity":1}\n');
    const { code, stderr } = await ran('sqlite:./b.db', 'import', 'orders.ndjson');
    expect(code).toBe(0);
    expect(stderr).toMatch(`Made a new store: ${join(folder, 'b.db')}\n`);
  });
});
