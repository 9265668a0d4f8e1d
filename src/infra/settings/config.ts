/** The configuration of the service, read from the environment. */

import { z } from 'zod';
import { keyIdOf } from '../../app/keys/api-key.ts';
import { UserError } from '../../app/lifecycle/user-error.ts';
import { guardSecret } from '../../app/secrets.ts';
import { DELAY_LIMITS, type DelayLimits } from '../../app/write/queue/controlled-delay.ts';
import type { LogFormat } from '../process/logger.ts';
import {
  baseUrl,
  host,
  isLoopback,
  logOrigin,
  millisecondsFrom,
  numberFrom,
  origins,
  port,
  proxies,
  secondsFrom,
} from './config-values.ts';
import { type DatabaseConfig, database } from './database-setting.ts';
import { type Limits, limits, limitsIn } from './limits.ts';
import { type WitnessSettings, witnessing, witnessingIn } from './witness-settings.ts';

/** The settings of the service. `.env.example` documents each variable. */
export interface Config {
  /** 0 takes a free port. */
  readonly port: number;
  readonly host: string;
  readonly database: DatabaseConfig;
  /** The limit of a start's wait for a database that is away, in milliseconds. */
  readonly databaseWaitMs: number;
  /** The file of the key that signs checkpoints; absent: one beside the store's file. */
  readonly signingKeyFile: string | undefined;
  /** The name of a key that is made, which is the origin of checkpoints; absent: the store's own. */
  readonly logOrigin: string | undefined;
  /** The head file of a store in PostgreSQL; absent: one in the data folder. */
  readonly headFile: string | undefined;
  /** The address at which clients reach the service, ending in `/v1`; absent: its own. */
  readonly baseUrl: string | undefined;
  readonly stagingBaseUrl: string | undefined;
  /** The origins whose pages may call the API from a browser; none: no page of another origin. */
  readonly corsOrigins: readonly string[];
  /** True if the web console is served. */
  readonly servesConsole: boolean;
  /** Who may read the log's tiles. */
  readonly tiles: (typeof TILES)[number];
  /** The witnesses that cosign checkpoints; absent: none. */
  readonly witnessing: WitnessSettings | undefined;
  /** The requests without a valid key that get one address a 401, a minute; 0: any number. */
  readonly authFailuresPerMinute: number;
  /** The proxies whose X-Forwarded-For is believed: addresses and networks; none: nobody's. */
  readonly trustedProxies: readonly string[];
  /** The bounds on what clients may hold. */
  readonly limits: Limits;
  /** The limits of the time for which commands wait. */
  readonly queueLimits: DelayLimits;
  /** The wait of a stop until load balancers have noticed, in milliseconds. */
  readonly stopDelay: number;
  /** The longest time for a stop after that, in milliseconds. */
  readonly maxStopMs: number;
  /** The bytes of the store that are checked again, a second; 0: none after the start. */
  readonly scrubBytesPerSecond: number;
  /** The interval in which the snapshot is renewed, in milliseconds; 0: at a stop only. */
  readonly snapshotEveryMs: number;
  /** The time from which on a request is logged as slow, in milliseconds; 0: none is. */
  readonly slowRequestMs: number;
  /** The port for metrics without a key; absent: none. */
  readonly metricsPort: number | undefined;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** Absent: text where standard output is a terminal, and JSON elsewhere. */
  readonly logFormat: LogFormat | undefined;
  /** A key to be accepted from the first start on. */
  readonly initialApiKey: string | undefined;
}

type Variables = Readonly<Record<string, string | undefined>>;

const TILES = ['off', 'audit', 'public'] as const;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/**
 * The schemas of the variables. A default is a text, as a variable would have it, so that it can be shown
 * like one.
 */
const variables = z.object({
  PORT: port.prefault('3000'),
  HOST: host.prefault('127.0.0.1'),
  DATABASE_URL: database.prefault('sqlite:./data/store-orders.db'),
  SIGNING_KEY_FILE: z.string().optional(),
  LOG_ORIGIN: logOrigin.optional(),
  ...witnessing,
  HEAD_FILE: z.string().optional(),
  /** The earlier name of HEAD_FILE. */
  WITNESS_FILE: z.string().optional(),
  BASE_URL: baseUrl.optional(),
  STAGING_BASE_URL: baseUrl.optional(),
  CORS_ORIGINS: origins.optional(),
  TILES: z.enum(TILES, { error: 'must be off, audit or public' }).prefault('audit'),
  CONSOLE: z.enum(['on', 'off'], { error: 'must be on or off' }).optional(),
  AUTH_FAILURES_PER_MINUTE: numberFrom(0, 999_999).prefault('300'),
  TRUST_PROXY: proxies.optional(),
  ...limits,
  // The default is about 8,000 events a second, which takes 2 to 3 % of one processor.
  SCRUB_BYTES_PER_SECOND: numberFrom(0, 9_999_999_999, 'a number of bytes a second,').prefault(
    '2000000',
  ),
  SNAPSHOT_INTERVAL: secondsFrom(0, 86_400).prefault('60'),
  QUEUE_TARGET_MS: millisecondsFrom(1).prefault(String(DELAY_LIMITS.targetMs)),
  QUEUE_INTERVAL_MS: millisecondsFrom(1).prefault(String(DELAY_LIMITS.intervalMs)),
  DATABASE_WAIT: secondsFrom(0, 9_999).prefault('60'),
  STOP_DELAY: secondsFrom(0, 60).prefault('0'),
  STOP_TIMEOUT: secondsFrom(1, 600).prefault('9'),
  SLOW_REQUEST_MS: millisecondsFrom(0).prefault('1000'),
  METRICS_PORT: port.optional(),
  LOG_LEVEL: z
    .enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` })
    .prefault('info'),
  LOG_FORMAT: z.enum(['json', 'text'], { error: 'must be json or text' }).optional(),
  // The message does not repeat what was given: it may be a real key with a typing error.
  INITIAL_API_KEY: z
    .string()
    .refine(
      (text) => keyIdOf(text) !== undefined,
      'is not a well-formed key: make one with `store-orders keys create`',
    )
    .optional(),
});

/** All of them together. */
export const environment = variables.refine(
  ({ PORT, METRICS_PORT }) => METRICS_PORT !== PORT || PORT === 0,
  {
    path: ['METRICS_PORT'],
    error: 'must differ from PORT: one process cannot listen twice on one port',
  },
);

/** Redacts the configuration's secrets in all that this process shows, errors first. */
function guardSecrets({ INITIAL_API_KEY, DATABASE_URL, PGPASSWORD }: Variables): void {
  guardSecret(INITIAL_API_KEY ?? '');
  guardSecret(PGPASSWORD ?? '');
  guardPassword(DATABASE_URL ?? '');
}

// Not parsed as a URL: a mistyped password often makes the address invalid.
function guardPassword(url: string): void {
  const [, password = ''] = /^postgres(?:ql)?:\/\/[^:@/?#]*:(.*)@/s.exec(url) ?? [];
  guardSecret(password);
  guardSecret(decoded(password));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Reads the configuration. A variable that is set to nothing counts as not set. Throws
 * {@link UserError} with one line for each mistake.
 * @param called The names that messages have for variables which were given in another way.
 */
export function readConfig(
  variables: Variables,
  called: Readonly<Record<string, string>> = {},
): Config {
  guardSecrets(variables);
  const given = Object.entries(variables).filter(
    ([, value]) => value !== undefined && value !== '',
  );
  const result = environment.safeParse(Object.fromEntries(given));
  if (!result.success) {
    const lines = result.error.issues.map(
      ({ path: [name], message }) => `${called[String(name)] ?? String(name)} ${message}`,
    );
    throw new UserError([...new Set(lines)].join('\n'));
  }
  const { data } = result;
  return {
    port: data.PORT,
    host: data.HOST,
    database: data.DATABASE_URL,
    signingKeyFile: data.SIGNING_KEY_FILE,
    logOrigin: data.LOG_ORIGIN,
    witnessing: witnessingIn(data),
    headFile: data.HEAD_FILE ?? data.WITNESS_FILE,
    baseUrl: data.BASE_URL,
    stagingBaseUrl: data.STAGING_BASE_URL,
    corsOrigins: data.CORS_ORIGINS ?? [],
    servesConsole: data.CONSOLE === undefined ? isLoopback(data.HOST) : data.CONSOLE === 'on',
    tiles: data.TILES,
    authFailuresPerMinute: data.AUTH_FAILURES_PER_MINUTE,
    trustedProxies: data.TRUST_PROXY ?? [],
    limits: limitsIn(data),
    scrubBytesPerSecond: data.SCRUB_BYTES_PER_SECOND,
    snapshotEveryMs: data.SNAPSHOT_INTERVAL,
    queueLimits: { targetMs: data.QUEUE_TARGET_MS, intervalMs: data.QUEUE_INTERVAL_MS },
    databaseWaitMs: data.DATABASE_WAIT,
    stopDelay: data.STOP_DELAY,
    maxStopMs: data.STOP_TIMEOUT,
    slowRequestMs: data.SLOW_REQUEST_MS,
    metricsPort: data.METRICS_PORT,
    logLevel: data.LOG_LEVEL,
    logFormat: data.LOG_FORMAT,
    initialApiKey: data.INITIAL_API_KEY,
  };
}

/** Reads an address as DATABASE_URL takes it. Throws {@link UserError} for anything else. */
export function readDatabaseUrl(url: string): DatabaseConfig {
  guardPassword(url);
  const result = database.safeParse(url);
  if (result.success) return result.data;
  throw new UserError(`An address of a store ${result.error.issues[0]?.message}.`);
}
