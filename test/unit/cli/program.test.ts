import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { CannotStart } from '../../../src/app/lifecycle/cannot-start.ts';
import { run } from '../../../src/cli/program.ts';
import { Place } from '../../support/command-line.ts';

const never = () => expect.fail('nobody asked for it');
const COMPOSITION = {
  serve: never,
  demo: never,
  engine: never,
  proverOf: never,
  newSigningKey: never,
  verifierKey: never,
  decode: never,
};

const COMMANDS = [
  ['serve'],
  ['demo'],
  ['keys'],
  ['keys', 'create'],
  ['keys', 'limit'],
  ['keys', 'list'],
  ['keys', 'revoke'],
  ['import'],
  ['backup'],
  ['audit'],
  ['audit', 'show'],
  ['audit', 'refusals'],
  ['replay'],
  ['audit', 'public-key'],
  ['audit', 'checkpoint'],
  ['audit', 'prove'],
  ['audit', 'receipt'],
  ['audit', 'export'],
  ['audit', 'import'],
  ['verify'],
  ['conformance'],
];

test('without a command, the service is run', async () => {
  const place = new Place();
  expect(await place.run()).toEqual({ code: 0, out: '', err: '' });
  expect(place.started).toEqual(['serve']);
});

test.each(['serve', 'demo'])('%s starts what it says', async (command) => {
  const place = new Place();
  expect(await place.run(command)).toMatchObject({ code: 0 });
  expect(place.started).toEqual([command]);
});

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(await new Place().run('--version')).toEqual({ code: 0, out: `${version}\n`, err: '' });
});

test('--help names every command', async () => {
  const { code, out, err } = await new Place().run('--help');
  expect([code, err]).toEqual([0, '']);
  for (const [name] of COMMANDS) expect(out).toContain(`  ${name} `);
});

test.each(COMMANDS)('%s %s is explained by --help', async (...command) => {
  const { code, out, err } = await new Place().run(...command, '--help');
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain(`Usage: store-orders ${command.join(' ')}`);
});

test.each([
  { args: ['bogus'], message: "unknown command 'bogus'" },
  { args: ['--bogus'], message: "unknown option '--bogus'" },
  { args: ['serve', '--port', '1'], message: "unknown option '--port'" },
  { args: ['serve', 'twice'], message: "too many arguments for 'serve'" },
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

test.each([new CannotStart('one\ntwo'), new Error('one\ntwo'), 'one\ntwo'])(
  'a failure is told, each line with the name of the program',
  async (failure) => {
    const stderr = new PassThrough();
    const fail = () => Promise.reject(failure);
    const composition = { ...COMPOSITION, serve: fail };
    const terminal = { stdout: process.stdout, stderr };
    expect(await run(['node', 'store-orders'], composition, terminal)).toBe(1);
    expect(String(stderr.read())).toBe('store-orders: one\nstore-orders: two\n');
  },
);
