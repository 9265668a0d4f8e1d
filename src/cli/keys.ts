/** Makes, limits, lists and revokes API keys. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import { CLOCKS, nearestNow, now } from '../app/clock.ts';
import { hasExpired, keyIdOf, mintKeyText } from '../app/keys/api-key.ts';
import { keyRecord } from '../app/keys/first-key.ts';
import { changedLimits, type LimitChange } from '../app/keys/limit-change.ts';
import { UserError } from '../app/lifecycle/user-error.ts';
import {
  type ApiKey,
  type KeyLimits,
  type KeyStore,
  SCOPES,
  type Scope,
} from '../app/ports/key-store.ts';
import { type Instant, instantAt, millisecondsOf, parseInstant } from '../domain/instant.ts';
import type { ExplainedCommand } from './shared/command.ts';
import { type CommandLine, withStore, withStoreOrNew } from './shared/command-line.ts';
import { addLimitOptions, limitWords } from './shared/limit-options.ts';
import { print } from './shared/print.ts';
import { type JsonOption, jsonLine, printResult, withJson } from './shared/results.ts';
import { printTable } from './shared/table.ts';

const DEFAULT_SCOPES: readonly Scope[] = ['orders:read', 'orders:write', 'orders:cancel'];
const COLUMNS = ['id', 'name', 'scopes', 'created', 'expires', 'state', 'limits'] as const;
const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
/** The attempts to change the limits of a key that other processes change, too. */
const MAX_TRIES = 10;

interface CreateOptions extends LimitChange, JsonOption {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expires?: Instant;
}

type LimitOptions = LimitChange & JsonOption;

/** Defines `keys`: makes, limits, lists and revokes API keys. */
export function define(keys: ExplainedCommand, commandLine: CommandLine): void {
  const create = withJson(keys.command('create'))
    .example(
      'Create a key for a program that reads, for 90 days',
      'keys create --name reports --scopes orders:read --expires 90d',
    )
    .description('create a key; it is printed once, alone on standard output')
    .requiredOption('--name <name>', 'its name, for people', readName)
    .addOption(
      new Option('--scopes <list>', `what it may do, of ${SCOPES.join(', ')}`)
        .argParser(readScopes)
        .default(DEFAULT_SCOPES, DEFAULT_SCOPES.join(',')),
    )
    .option('--expires <when>', 'a date-time (RFC 3339), or a time from now: 90d, 12h', readExpiry);
  addLimitOptions(create).action((options: CreateOptions, command: Command) =>
    makeKey(options, command, commandLine),
  );
  const limit = withJson(keys.command('limit'))
    .description('change the limits of a key; the service applies them within a second')
    .argument('<id>', 'the id that `keys list` shows')
    .example('Limit a key to 100 requests a second', 'keys limit Hs6IzlXByd --rate 100/s');
  addLimitOptions(limit, 'or none').action((id: string, given: LimitOptions, command: Command) =>
    limitKey(id, given, command, commandLine),
  );
  withJson(keys.command('list'), 'one a line')
    .description('list all keys, without what is secret')
    .example('List all keys', 'keys list')
    .action((options: JsonOption) => list(options, commandLine));
  withJson(keys.command('revoke'))
    .description('revoke a key permanently; the service refuses it within a second')
    .argument('<id>', 'the id that `keys list` shows')
    .example('Revoke a key', 'keys revoke Hs6IzlXByd')
    .action((id: string, options: JsonOption) => revoke(id, options, commandLine));
}

async function makeKey(
  { name, scopes, expires, json, ...asked }: CreateOptions,
  command: Command,
  commandLine: CommandLine,
): Promise<void> {
  const { stdout, stderr } = commandLine.terminal;
  const limits = limitsWith({}, asked, command);
  const text = mintKeyText();
  const key = keyRecord(text, {
    name,
    scopes,
    createdAt: now(),
    ...(expires === undefined ? {} : { expiresAt: expires }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
  });
  const added = await withStoreOrNew(commandLine, ({ keys }) => keys.add(key));
  if (!added) throw new Error(`the id ${key.id} is taken: try again`);
  stderr.write(`Made the key ${key.id}, called ${name}, for ${scopes.join(', ')}; `);
  stderr.write(`it expires: ${expires ?? 'never'}.\n`);
  if (key.limits !== undefined) stderr.write(`Its limits: ${limitWords(limits)}.\n`);
  stderr.write('It is shown only now:\n');
  printResult(stdout, { json }, { value: { ...shown(key), key: text }, text: `${text}\n` });
}

function limitsWith(limits: KeyLimits, change: LimitChange, command: Command): KeyLimits {
  const changed = changedLimits(limits, change);
  return changed ?? command.error('error: --burst needs a rate: --rate');
}

async function limitKey(
  given: string,
  { json, ...change }: LimitOptions,
  command: Command,
  commandLine: CommandLine,
): Promise<void> {
  const id = keyIdOf(given) ?? given;
  const { stdout, stderr } = commandLine.terminal;
  if (Object.keys(change).length === 0) {
    command.error('error: name a limit: --rate, --burst, --concurrent or --streams');
  }
  await withStore(commandLine, async ({ keys }) => {
    const changed = async (tries: number): Promise<{ key: ApiKey; limits: KeyLimits }> => {
      const key = await foundKey(keys, id);
      if (key.revokedAt !== undefined) throw new UserError(`The key ${id} is revoked.`);
      const before = key.limits ?? {};
      const limits = limitsWith(before, change, command);
      if (await keys.limit(id, limits, before)) return { key, limits };
      if (tries === 1) throw notChanged(id);
      // Another process has changed them meanwhile: this change is made to those.
      return changed(tries - 1);
    };
    const { key, limits } = await changed(MAX_TRIES);
    stderr.write(`The limits of the key ${id} are now: ${limitWords(limits)}.\n`);
    if (json) stdout.write(jsonLine(shown({ ...key, limits })));
  });
}

async function list({ json }: JsonOption, commandLine: CommandLine): Promise<void> {
  const { stdout } = commandLine.terminal;
  const keys = await withStore(commandLine, (store) => store.keys.list());
  if (json)
    return print(
      keys.values().map((key) => jsonLine(shown(key))),
      stdout,
    );
  await printTable(stdout, COLUMNS, keys.map(rowOf), COLUMNS.slice(1));
}

async function revoke(
  given: string,
  { json }: JsonOption,
  commandLine: CommandLine,
): Promise<void> {
  // In a hurry to revoke a key, people may well paste the key itself.
  const id = keyIdOf(given) ?? given;
  const { stdout, stderr } = commandLine.terminal;
  await withStore(commandLine, async ({ keys }) => {
    const isRevokedNow = await keys.revoke(id, nearestNow());
    const key = await foundKey(keys, id);
    if (key.revokedAt === undefined) throw notChanged(id);
    stderr.write(
      isRevokedNow
        ? `Revoked the key ${id}.\n`
        : `The key ${id} was revoked already, at ${key.revokedAt}.\n`,
    );
    if (json) stdout.write(jsonLine(shown(key)));
  });
}

/** Returns the error for a change that the database has not made, as a foreign trigger can prevent it. */
function notChanged(id: string): UserError {
  return new UserError(
    `The key ${id} is unchanged: the database did not store it. Run \`store-orders verify\`.`,
  );
}

async function foundKey(keys: KeyStore, id: string): Promise<ApiKey> {
  const key = await keys.find(id);
  if (key === undefined) throw new UserError(`There is no key ${shownId(id)}.`);
  return key;
}

// A text longer than an id may be the secret part of a key.
function shownId(id: string): string {
  return id.length <= 10 ? id : '…';
}

function rowOf(key: ApiKey): string[] {
  const { id, name, scopes, createdAt, expiresAt = 'never', limits } = key;
  return [id, name, scopes.join(','), createdAt, expiresAt, stateOf(key), limitWords(limits)];
}

/** Returns a key for a program to read, without what is secret. */
function shown(key: ApiKey): object {
  const { id, name, scopes, createdAt, expiresAt, revokedAt, limits } = key;
  return { id, name, scopes, createdAt, expiresAt, revokedAt, state: stateOf(key), limits };
}

function stateOf(key: ApiKey): string {
  if (key.revokedAt !== undefined) return 'revoked';
  return hasExpired(key, CLOCKS.wall()) ? 'expired' : 'active';
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
      : instantAt(millisecondsOf(now()) + Number(count) * (UNITS[unit] as number));
  if (expiry === undefined) {
    throw new InvalidArgumentError(
      count === undefined
        ? 'It must be a date-time such as 2030-01-31T00:00:00Z, or a time from now such as 90d, 12h.'
        : 'It is after the year 9999: without --expires, a key never expires.',
    );
  }
  if (expiry <= now()) throw new InvalidArgumentError('It is in the past.');
  return expiry;
}
