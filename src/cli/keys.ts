import { type Command, InvalidArgumentError, Option } from 'commander';
import { CLOCKS, now } from '../app/clock.ts';
import { hasExpired, keyIdOf, mintKeyText } from '../app/keys/api-key.ts';
import { keyRecord } from '../app/keys/first-key.ts';
import { CannotStart } from '../app/lifecycle/cannot-start.ts';
import { type ApiKey, SCOPES, type Scope } from '../app/ports/key-store.ts';
import { type Instant, instantAt, parseInstant } from '../domain/instant.ts';
import { type CommandLine, withStore, withStoreOrNew } from './shared/command-line.ts';
import { printTable } from './shared/table.ts';

const DEFAULT_SCOPES: readonly Scope[] = ['orders:read', 'orders:write', 'orders:cancel'];
const COLUMNS = ['id', 'name', 'scopes', 'created', 'expires', 'state'];
const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

interface CreateOptions {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expires?: Instant;
}

/** Adds `keys`: makes, lists and revokes API keys. */
export function addKeys(program: Command, commandLine: CommandLine): void {
  const keys = program
    .command('keys')
    .description('create, list and revoke API keys')
    .helpCommand(false);
  keys
    .command('create')
    .description('create a key; it is printed once, alone on standard output')
    .requiredOption('--name <name>', 'its name, for people', readName)
    .addOption(
      new Option('--scopes <list>', `what it may do, of ${SCOPES.join(', ')}`)
        .argParser(readScopes)
        .default(DEFAULT_SCOPES, DEFAULT_SCOPES.join(',')),
    )
    .option('--expires <when>', 'a date-time (RFC 3339), or a time from now: 90d, 12h', readExpiry)
    .action((options: CreateOptions) => create(options, commandLine));
  keys
    .command('list')
    .description('list all keys, without what is secret')
    .action(() => list(commandLine));
  keys
    .command('revoke')
    .description('revoke a key permanently; the service refuses it within a second')
    .argument('<id>', 'the id that `keys list` shows')
    .action((id: string) => revoke(id, commandLine));
}

async function create(options: CreateOptions, commandLine: CommandLine): Promise<void> {
  const { stdout, stderr } = commandLine.terminal;
  const { name, scopes, expires } = options;
  const text = mintKeyText();
  const key = keyRecord(text, {
    name,
    scopes,
    createdAt: now(),
    ...(expires === undefined ? {} : { expiresAt: expires }),
  });
  const added = await withStoreOrNew(commandLine, ({ keys }) => keys.add(key));
  if (!added) throw new Error(`the id ${key.id} is taken: try again`);
  stderr.write(`Made the key ${key.id}, called ${name}, for ${scopes.join(', ')}; `);
  stderr.write(`it expires: ${expires ?? 'never'}.\nIt is shown only now:\n`);
  stdout.write(`${text}\n`);
}

async function list(commandLine: CommandLine): Promise<void> {
  const { stdout } = commandLine.terminal;
  const keys = await withStore(commandLine, (store) => store.keys.list());
  await printTable(
    stdout,
    COLUMNS,
    keys.map((key) => rowOf(key, CLOCKS.wall())),
  );
}

async function revoke(given: string, commandLine: CommandLine): Promise<void> {
  // In a hurry to revoke a key, people may well paste the key itself.
  const id = keyIdOf(given) ?? given;
  const { stderr } = commandLine.terminal;
  await withStore(commandLine, async ({ keys }) => {
    if (await keys.revoke(id, now())) {
      stderr.write(`Revoked the key ${id}.\n`);
      return;
    }
    const key = await keys.find(id);
    if (key === undefined) throw new CannotStart(`There is no key ${shownId(id)}.`);
    stderr.write(`The key ${id} was revoked already, at ${key.revokedAt}.\n`);
  });
}

// A text longer than an id may be the secret part of a key.
function shownId(id: string): string {
  return id.length <= 10 ? id : '…';
}

function rowOf(key: ApiKey, at: number): string[] {
  const { id, name, scopes, createdAt, expiresAt = 'never' } = key;
  return [id, name, scopes.join(','), createdAt, expiresAt, stateOf(key, at)];
}

function stateOf(key: ApiKey, at: number): string {
  if (key.revokedAt !== undefined) return 'revoked';
  return hasExpired(key, at) ? 'expired' : 'active';
}

// Nothing unprintable: the name is shown on terminals, and in a list whose columns tabs separate.
function readName(text: string): string {
  if (/^[^\p{C}]{1,100}$/u.test(text) && text.trim() !== '') return text;
  throw new InvalidArgumentError('It must have 1 to 100 characters, all of them printable.');
}

function readScopes(text: string): readonly Scope[] {
  const names = new Set(text.split(','));
  const scopes = SCOPES.filter((scope) => names.has(scope));
  if (scopes.length === names.size) return scopes;
  throw new InvalidArgumentError(`The scopes are ${SCOPES.join(', ')}, with commas between them.`);
}

function readExpiry(text: string): Instant {
  const [, count, unit = ''] = /^(\d{1,9})([mhd])$/.exec(text) ?? [];
  const expiry =
    count === undefined
      ? parseInstant(text)
      : instantAt(CLOCKS.wall() + Number(count) * (UNITS[unit] as number));
  if (expiry === undefined) {
    throw new InvalidArgumentError(
      'It must be a date-time such as 2030-01-31T00:00:00Z, or a time from now such as 90d, 12h.',
    );
  }
  if (expiry <= now()) throw new InvalidArgumentError('It is in the past.');
  return expiry;
}
