/** The service that a command calls: its address, the API key, and the reasons of failures. */

import type { Command } from 'commander';
import { UserError } from '../../app/lifecycle/user-error.ts';
import { guardSecret, shownSetting } from '../../app/secrets.ts';
import type { Hooks, StoreOrders, StoreOrdersError } from '../../client/client.ts';
import { leavesOpen } from '../../client/retry-policy.ts';
import type { CommandLine, Environment } from './command-line.ts';
import { misused, refusedByService, unanswered } from './exit-codes.ts';
import { interruptible } from './interrupt.ts';
import { clauseOf } from './print.ts';
import { DEFAULT_PROFILE, type Profile, Profiles } from './profiles.ts';

/** The options by which a command names a service. */
export interface ServiceOptions {
  readonly url?: string;
  readonly key?: string;
  readonly profile?: string;
}

/** A function that is called before each wait for another attempt. */
type RetryHook = Pick<Hooks, 'onRetry'>;

export const SERVICE_NOTES = `
The service is named by --url and --key; or by a --profile of store-orders login; or by
STORE_ORDERS_URL and STORE_ORDERS_KEY; or by the profile "${DEFAULT_PROFILE}", in this order. A key on the
command line can be seen by others on this machine: give it in the environment, or log in. The key
of a profile is sent to the address of that profile only.`;

/** Adds the options that name a service to a command. */
export function withService<Given extends Command>(command: Given): Given {
  return command
    .option('--url <url>', 'the address of the service: https://orders.example.com')
    .option('--key <key>', 'an API key')
    .option('--profile <name>', 'a profile that store-orders login has made');
}

/** A value in force, with the option, variable or profile that it comes from. */
interface Found {
  readonly value: string;
  readonly source: string;
}

/**
 * Sends a command to a service. A signal to stop ends the wait for its answer: the error has the key
 * under which the command can be repeated, because it may have been carried out.
 * @param chosen The options that the command line has chosen a value for: a repetition needs the same.
 */
export function sendCommand<Result>(
  options: ServiceOptions,
  commandLine: CommandLine,
  send: (service: StoreOrders, signal: AbortSignal) => Promise<Result>,
  chosen: readonly string[] = [],
): Promise<Result> {
  return interruptible((signal) =>
    callService(options, commandLine, (service) => send(service, signal), chosen),
  );
}

/** Calls a service. Its refusals become errors with an exit code of their own. */
export async function callService<Result>(
  options: ServiceOptions & RetryHook,
  commandLine: CommandLine,
  use: (service: StoreOrders) => Promise<Result>,
  chosen: readonly string[] = [],
): Promise<Result> {
  const connection = connectionOf(options, commandLine.composition.environment);
  return callAt({ ...connection, onRetry: options.onRetry }, use, chosen);
}

/** Calls the service at an address. */
export async function callAt<Result>(
  { url, key, onRetry }: Profile & RetryHook,
  use: (service: StoreOrders) => Promise<Result>,
  chosen: readonly string[] = [],
): Promise<Result> {
  guardSecret(key);
  const client = await import('../../client/client.ts');
  try {
    return await use(new client.StoreOrders({ url, key, onRetry }));
  } catch (error) {
    if (!(error instanceof client.StoreOrdersError)) throw error;
    // The reason of the signal: it is the command line that has stopped, and nothing was changed.
    const isHarmless = error.idempotencyKey === undefined || error.attempts === 0;
    throw error.code === 'aborted' && isHarmless ? error.cause : failureOf(error, url, chosen);
  }
}

/** Returns the service that is named. Throws {@link UserError} if its address or key is not known. */
function connectionOf(options: ServiceOptions, environment: Environment): Profile {
  const { url, key } = namedService(options, environment);
  if (url === undefined) {
    throw new UserError(
      'No service is named: pass --url, or set STORE_ORDERS_URL, or run store-orders login.',
    );
  }
  if (key === undefined) {
    throw new UserError(
      `There is no API key for ${shownSetting(url.value)}: pass --key, or set STORE_ORDERS_KEY, or run ` +
        'store-orders login.',
    );
  }
  return { url: url.value, key: key.value };
}

/** Returns what names the service: the options, the environment or a profile. */
export function namedService(options: ServiceOptions, environment: Environment) {
  const profiles = new Profiles(environment);
  const name = options.profile ?? DEFAULT_PROFILE;
  // A file that is damaged ends no command that does without it.
  const isWanted =
    options.profile !== undefined ||
    !(options.url || environment.STORE_ORDERS_URL) ||
    !(options.key || environment.STORE_ORDERS_KEY);
  const profile = isWanted ? profiles.find(name) : undefined;
  if (options.profile !== undefined && profile === undefined) {
    throw new UserError(
      `There is no profile ${name} in ${profiles.file}: store-orders login --profile ${name}`,
    );
  }
  const asked = options.profile === undefined ? undefined : profile;
  const source = `profile ${name}`;
  const url = firstOf(
    [options.url, '--url'],
    [asked?.url, source],
    [environment.STORE_ORDERS_URL, 'environment'],
    [profile?.url, source],
  );
  const isOwn = profile !== undefined && url !== undefined && isSameService(url.value, profile.url);
  const own = isOwn ? profile.key : undefined;
  const key = firstOf(
    [options.key, '--key'],
    [asked && own, source],
    [environment.STORE_ORDERS_KEY, 'environment'],
    [own, source],
  );
  return { url, key };
}

function firstOf(...from: readonly (readonly [string | undefined, string])[]): Found | undefined {
  const [value, source = ''] = from.find(([value]) => value !== undefined && value !== '') ?? [];
  return value === undefined ? undefined : { value, source };
}

/** Returns true for addresses of one service: the client ignores a version at the end. */
function isSameService(one: string, other: string): boolean {
  const [a, b] = [one, other].map((url) => url.replace(/\/+(?:v[12]\/*)?$/, ''));
  return a === b;
}

/** The codes after which the same request may have another answer. */
const UNANSWERED: readonly string[] = [
  ...['network', 'timeout', 'unexpected_response', 'internal_error', 'outcome_unknown'],
  ...['service_unavailable', 'rate_limited', 'aborted'],
];

function failureOf(error: StoreOrdersError, url: string, chosen: readonly string[]): Error {
  const { code, status, requestId, idempotencyKey } = error;
  const message = code === 'aborted' ? 'Stopped before there was an answer' : error.message;
  const about = [code, ...(requestId === undefined ? [] : [`request ${requestId}`])].join(', ');
  const said = `${clauseOf(message)} (${about}).`;
  if (!UNANSWERED.includes(code)) {
    // Without a status it is the client that has refused.
    return status === undefined ? misused(said) : refusedByService(said);
  }
  const again = [...chosen, `--idempotency-key ${idempotencyKey}`];
  const repeat =
    idempotencyKey === undefined || !leavesOpen(code)
      ? ''
      : `\nIt may have been done. Repeat it with ${again.join(' ')}`;
  const where = message.includes(url) ? '' : `${url}: `;
  return unanswered(`${where}${said}${repeat}`);
}
