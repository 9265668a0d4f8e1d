import { describe, expect, it, test } from 'vitest';
import { mintKeyText } from '../../../../src/app/keys/api-key.ts';
import { UserError } from '../../../../src/app/lifecycle/user-error.ts';
import { withoutSecrets } from '../../../../src/app/secrets.ts';
import { readConfig, readDatabaseUrl } from '../../../../src/infra/settings/config.ts';

function mistakes(variables: Record<string, string>): string[] {
  try {
    readConfig(variables);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    return (error as UserError).message.split('\n');
  }
}

describe('The configuration', () => {
  const defaults = {
    port: 3000,
    host: '127.0.0.1',
    database: { engine: 'sqlite', file: './data/store-orders.db' },
    signingKeyFile: undefined,
    logOrigin: undefined,
    witnessing: undefined,
    headFile: undefined,
    slowRequestMs: 1_000,
    metricsPort: undefined,
    baseUrl: undefined,
    stagingBaseUrl: undefined,
    corsOrigins: [],
    servesConsole: true,
    tiles: 'audit',
    authFailuresPerMinute: 300,
    trustedProxies: [],
    limits: {
      maxConnections: 4_000,
      maxPerAddress: 0,
      patienceMs: 30_000,
      maxListTextBytes: 268_435_456,
      maxOldListBytes: 67_108_864,
      maxStreams: 100,
      maxStreamsPerKey: 50,
      reads: { maxReads: 4, maxWaitMs: 1_000 },
    },
    scrubBytesPerSecond: 2_000_000,
    snapshotEveryMs: 60_000,
    queueLimits: { targetMs: 40, intervalMs: 100 },
    databaseWaitMs: 60_000,
    stopDelay: 0,
    maxStopMs: 9_000,
    logLevel: 'info',
    logFormat: undefined,
    initialApiKey: undefined,
  };

  it('has a default for everything', () => {
    expect(readConfig({})).toStrictEqual(defaults);
  });

  it('takes a variable that is set to nothing as not set', () => {
    const names = [
      'PORT',
      'HOST',
      'DATABASE_URL',
      'BASE_URL',
      'LOG_LEVEL',
      'LOG_FORMAT',
      'INITIAL_API_KEY',
    ];
    expect(readConfig(Object.fromEntries(names.map((name) => [name, ''])))).toStrictEqual(defaults);
  });

  it.each([
    ['127.0.0.1', undefined, true],
    ['127.8.8.8', undefined, true],
    ['::1', undefined, true],
    ['localhost', undefined, true],
    ['0.0.0.0', undefined, false],
    ['::', undefined, false],
    ['127.0.0.1.example.com', undefined, false],
    ['0.0.0.0', 'on', true],
    ['127.0.0.1', 'off', false],
  ])('on the host %s with CONSOLE=%s serves the console: %s', (HOST, CONSOLE, servesConsole) => {
    expect(readConfig({ HOST, CONSOLE })).toMatchObject({ servesConsole });
  });

  it('takes the head file under its earlier name', () => {
    const WITNESS_FILE = '/var/lib/head';
    expect(readConfig({ WITNESS_FILE }).headFile).toBe(WITNESS_FILE);
    expect(readConfig({ WITNESS_FILE, HEAD_FILE: '/new' }).headFile).toBe('/new');
  });

  it('takes given values', () => {
    const key = mintKeyText();
    const given = {
      PORT: '65535',
      HOST: '::1',
      SIGNING_KEY_FILE: '/run/secrets/log-key',
      LOG_ORIGIN: 'shop.example.com/orders',
      WITNESS_POLICY: '/etc/store-orders/witnesses',
      WITNESS_INTERVAL: '3600',
      HEAD_FILE: '/var/lib/head',
      SLOW_REQUEST_MS: '0',
      METRICS_PORT: '9464',
      BASE_URL: 'https://api.example.com/shop/v1',
      STAGING_BASE_URL: 'http://localhost:8080/v1',
      CORS_ORIGINS: 'https://shop.example.com, http://localhost:5173,https://shop.example.com',
      CONSOLE: 'off',
      TILES: 'public',
      AUTH_FAILURES_PER_MINUTE: '0',
      TRUST_PROXY: 'loopback, 10.0.0.0/8,fd00::/8 , ::1,10.1.2.3/32,::2/128',
      MAX_CONNECTIONS: '1',
      MAX_CONNECTIONS_PER_ADDRESS: '999999',
      STALL_TIMEOUT: '1',
      LIST_TEXT_BYTES: '1',
      OLD_LISTS_BYTES: '0',
      MAX_STREAMS: '1',
      MAX_STREAMS_PER_KEY: '99999',
      MAX_READS: '9999',
      READ_WAIT_MS: '60000',
      SCRUB_BYTES_PER_SECOND: '0',
      SNAPSHOT_INTERVAL: '86400',
      QUEUE_TARGET_MS: '1',
      QUEUE_INTERVAL_MS: '60000',
      DATABASE_WAIT: '9999',
      STOP_DELAY: '60',
      STOP_TIMEOUT: '600',
      LOG_LEVEL: 'silent',
      LOG_FORMAT: 'text',
      INITIAL_API_KEY: key,
      PATH: '/bin',
    };
    expect(readConfig(given)).toStrictEqual({
      port: 65_535,
      host: '::1',
      database: { engine: 'sqlite', file: './data/store-orders.db' },
      signingKeyFile: '/run/secrets/log-key',
      logOrigin: 'shop.example.com/orders',
      witnessing: { policyFile: '/etc/store-orders/witnesses', intervalMs: 3_600_000 },
      headFile: '/var/lib/head',
      slowRequestMs: 0,
      metricsPort: 9464,
      baseUrl: 'https://api.example.com/shop/v1',
      stagingBaseUrl: 'http://localhost:8080/v1',
      corsOrigins: ['https://shop.example.com', 'http://localhost:5173'],
      servesConsole: false,
      tiles: 'public',
      authFailuresPerMinute: 0,
      trustedProxies: ['loopback', '10.0.0.0/8', 'fd00::/8', '::1', '10.1.2.3/32', '::2/128'],
      limits: {
        maxConnections: 1,
        maxPerAddress: 999_999,
        patienceMs: 1_000,
        maxListTextBytes: 1,
        maxOldListBytes: 0,
        maxStreams: 1,
        maxStreamsPerKey: 99_999,
        reads: { maxReads: 9_999, maxWaitMs: 60_000 },
      },
      scrubBytesPerSecond: 0,
      snapshotEveryMs: 86_400_000,
      queueLimits: { targetMs: 1, intervalMs: 60_000 },
      databaseWaitMs: 9_999_000,
      stopDelay: 60_000,
      maxStopMs: 600_000,
      logLevel: 'silent',
      logFormat: 'text',
      initialApiKey: key,
    });
  });

  test.each([
    ['sqlite:orders.db', 'orders.db'],
    ['sqlite:./data/orders.db', './data/orders.db'],
    ['sqlite:/var/lib/orders.db', '/var/lib/orders.db'],
    ['sqlite:///var/lib/orders.db', '/var/lib/orders.db'],
  ])('finds the file of %s', (DATABASE_URL, file) => {
    expect(readConfig({ DATABASE_URL }).database).toStrictEqual({ engine: 'sqlite', file });
  });

  test.each([
    'postgres://shop@db.example.com/orders',
    'postgresql://shop:secret@db.example.com:5433/orders?sslmode=verify-full',
  ])('leaves PostgreSQL its address: %s', (url) => {
    expect(readConfig({ DATABASE_URL: url }).database).toStrictEqual({ engine: 'postgres', url });
  });
});

test.each([
  'shop.example.com',
  'shop.example.com:8443',
  'shop.example.com/orders/2026',
  `shop.example.com/${'x'.repeat(183)}`,
])('LOG_ORIGIN may be %s', (LOG_ORIGIN) => {
  expect(readConfig({ LOG_ORIGIN }).logOrigin).toBe(LOG_ORIGIN);
});

test('WITNESS_POLICY alone has a checkpoint submitted once a minute', () => {
  const policyFile = './witnesses';
  expect(readConfig({ WITNESS_POLICY: policyFile }).witnessing).toStrictEqual({
    policyFile,
    intervalMs: 60_000,
  });
  expect(readConfig({ WITNESS_INTERVAL: '1' }).witnessing).toBeUndefined();
});

test('A mistake in an address is named by its engine', () => {
  const at = (DATABASE_URL: string) => () => readConfig({ DATABASE_URL });
  expect(at('postgres://shop@h/orders ')).toThrow('DATABASE_URL must have no blank at its end');
  expect(at('sqlite:orders.db ')).toThrow('DATABASE_URL must be sqlite:FILE, or');
  expect(at('postgres://shop:a:memory:b@h/orders')).not.toThrow();
});

test.each(['::', 'fe80::1%eth0', '0.0.0.0', 'localhost', 'shop_1.internal', 'größe.example', '0'])(
  'HOST=%s is taken',
  (HOST) => expect(readConfig({ HOST }).host).toBe(HOST),
);

describe('A mistake is reported in one line that names the variable:', () => {
  test.each([
    ['PORT', '-1'],
    ['PORT', '65536'],
    ['PORT', '99999'],
    ['PORT', '080'],
    ['PORT', '80 80'],
    ['PORT', '3000.5'],
    ['PORT', '0x50'],
    ['PORT', 'http'],
    ...[' ', '*', '[::1]', '127.0.0.1:80', 'a b', 'http://localhost', 'shop,other'].map(
      (text) => ['HOST', text] as [string, string],
    ),
    ['DATABASE_URL', 'sqlite:'],
    ['DATABASE_URL', 'sqlite::memory:'],
    ['DATABASE_URL', 'sqlite::memory:/'],
    ['DATABASE_URL', 'sqlite://x/'],
    ['DATABASE_URL', 'sqlite:./data/'],
    ['DATABASE_URL', 'sqlite:/'],
    ['DATABASE_URL', 'sqlite:..'],
    ['DATABASE_URL', 'sqlite:~/orders.db'],
    ['DATABASE_URL', 'sqlite:~shop/orders.db'],
    ['METRICS_PORT', '3000'],
    ['DATABASE_URL', 'sqlite:data/.'],
    ['DATABASE_URL', `sqlite:./${'x'.repeat(198)}.db`],
    ['DATABASE_URL', `sqlite:./${'é'.repeat(101)}`],
    ['DATABASE_URL', './data/store.db'],
    ['DATABASE_URL', 'mysql://localhost/orders'],
    ['DATABASE_URL', 'postgres://shop:secr@t@h/orders'],
    ['DATABASE_URL', 'postgres://shop@h/orders?sslmode=no-verify'],
    ['QUEUE_TARGET_MS', '0'],
    ['QUEUE_INTERVAL_MS', '60001'],
    ['BASE_URL', 'api.example.com/v1'],
    ['BASE_URL', '/v1'],
    ['BASE_URL', 'ftp://api.example.com/v1'],
    ['BASE_URL', 'https://api.example.com'],
    ['BASE_URL', 'https://api.example.com/v2'],
    ['BASE_URL', 'https://api.example.com/v1/'],
    ['BASE_URL', 'https://api.example.com/v1?x=1'],
    ['BASE_URL', 'https://api.example.com/v1#x'],
    ['BASE_URL', 'https://user@api.example.com/v1'],
    ['STAGING_BASE_URL', 'staging'],
    ['STAGING_BASE_URL', 'https://user:correct-horse@api.example.com/v1'],
    ['LOG_ORIGIN', 'https://shop.example.com'],
    ['LOG_ORIGIN', 'shop.example.com/'],
    ['LOG_ORIGIN', 'shop.example.com/orders/'],
    ['LOG_ORIGIN', 'shop.example.com/a+b'],
    ['LOG_ORIGIN', 'shop.example.com/a b'],
    ['LOG_ORIGIN', 'SHOP.example.com'],
    ['LOG_ORIGIN', 'me@shop.example.com'],
    ['LOG_ORIGIN', 'shop.example.com?x'],
    ['LOG_ORIGIN', '/orders'],
    ['LOG_ORIGIN', `shop.example.com/${'x'.repeat(184)}`],
    ['WITNESS_INTERVAL', '0'],
    ['WITNESS_INTERVAL', '3601'],
    ['WITNESS_INTERVAL', '1.5'],
    ['CONSOLE', 'yes'],
    ['TILES', 'on'],
    ['CORS_ORIGINS', '*'],
    ['CORS_ORIGINS', 'null'],
    ['CORS_ORIGINS', 'shop.example.com'],
    ['CORS_ORIGINS', 'https://shop.example.com/'],
    ['CORS_ORIGINS', 'https://SHOP.example.com'],
    ['CORS_ORIGINS', 'https://shop.example.com:443'],
    ['CORS_ORIGINS', 'https://shop.example.com,'],
    ['CORS_ORIGINS', 'https://a.example.com https://b.example.com'],
    ['DATABASE_WAIT', '10000'],
    ['DATABASE_WAIT', '-1'],
    ['DATABASE_WAIT', '1.5'],
    ['DATABASE_WAIT', 'long'],
    ['STOP_DELAY', '61'],
    ['STOP_TIMEOUT', '0'],
    ['STOP_TIMEOUT', '601'],
    ['STOP_DELAY', '1.5'],
    ['STOP_DELAY', '-1'],
    ['STOP_DELAY', '5s'],
    ['LOG_LEVEL', 'INFO'],
    ['AUTH_FAILURES_PER_MINUTE', '-1'],
    ['AUTH_FAILURES_PER_MINUTE', '1.5'],
    ['AUTH_FAILURES_PER_MINUTE', '1000000'],
    ['MAX_CONNECTIONS', '0'],
    ['MAX_CONNECTIONS_PER_ADDRESS', '-1'],
    ['MAX_CONNECTIONS_PER_ADDRESS', '1000000'],
    ['MAX_CONNECTIONS', 'many'],
    ['STALL_TIMEOUT', '0'],
    ['STALL_TIMEOUT', '3601'],
    ['SNAPSHOT_INTERVAL', '86401'],
    ['SNAPSHOT_INTERVAL', '1.5'],
    ['LIST_TEXT_BYTES', '-1'],
    ['LIST_TEXT_BYTES', '100000000000'],
    ['OLD_LISTS_BYTES', '-1'],
    ['OLD_LISTS_BYTES', '100000000000'],
    ['MAX_STREAMS', '0'],
    ['MAX_STREAMS', '100000'],
    ['MAX_STREAMS_PER_KEY', '0'],
    ['MAX_STREAMS_PER_KEY', '100000'],
    ['MAX_READS', '0'],
    ['MAX_READS', '10000'],
    ['READ_WAIT_MS', '0'],
    ['READ_WAIT_MS', '60001'],
    ['MAX_CONNECTIONS', '1000000'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', 'proxy.example.com'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '10.0.0.0/0'],
    ['TRUST_PROXY', '10.0.0.0/8/8'],
    ['TRUST_PROXY', '10.0.0.1,'],
    ['TRUST_PROXY', 'fd00::/129'],
  ])('%s=%s', (name, value) => {
    expect(mistakes({ [name]: value })).toStrictEqual([expect.stringMatching(`^${name} must `)]);
  });

  it('INITIAL_API_KEY, without quoting what may be a mistyped real key', () => {
    const [line, ...others] = mistakes({ INITIAL_API_KEY: mintKeyText().slice(0, -1) });
    expect(line).toMatch(/^INITIAL_API_KEY is not a well-formed key/);
    expect(line).not.toMatch('sto_');
    expect(others).toStrictEqual([]);
  });

  it.each(['BASE_URL', 'STAGING_BASE_URL', 'CORS_ORIGINS', 'DATABASE_URL', 'SIGNING_KEY_FILE'])(
    '%s, without repeating a password',
    (name) => {
      for (const url of [
        'https://user:correct-horse@api.example.com/v1',
        'https://user:correct-horse@api.example.com/v1?password=correct-horse#correct-horse',
        'https://correct-horse@api.example.com/v2',
        'postgres://user:correct-horse@',
        'user:correct-horse',
      ]) {
        let shown = '';
        try {
          readConfig({ [name]: url });
        } catch (error) {
          shown = (error as Error).message;
        }
        expect(shown).not.toContain('horse');
      }
    },
  );

  it('each of several on a line of its own', () => {
    const lines = mistakes({ PORT: 'x', BASE_URL: 'x', LOG_LEVEL: 'x' });
    expect(lines.map((line) => line.split(' ')[0])).toStrictEqual([
      'PORT',
      'BASE_URL',
      'LOG_LEVEL',
    ]);
  });
});

describe('a secret in the settings is removed from what is shown later', () => {
  it.each([
    ['a key', { INITIAL_API_KEY: 'not-a-key-1' }, 'not-a-key-1'],
    ["PostgreSQL's own variable", { PGPASSWORD: 'unusual-word-2' }, 'unusual-word-2'],
    ['an address', { DATABASE_URL: 'postgres://shop:unusual-word-3@h/orders' }, 'unusual-word-3'],
    ['an address, decoded', { DATABASE_URL: 'postgres://shop:horse%2F4-4-4@h/o' }, 'horse/4-4-4'],
    ['a mistyped address', { DATABASE_URL: 'postgres://shop:horse/5@5%5-5@h/o' }, 'horse/5@5%5-5'],
  ])('%s', (_, variables, secret) => {
    expect(withoutSecrets(`before ${secret} after`)).toContain(secret);
    mistakes(variables);
    expect(withoutSecrets(`before ${secret} after`)).toBe('before … after');
  });

  it('an address that a command is given', () => {
    expect(() => readDatabaseUrl('postgres://shop:unusual-word-6@h')).toThrow(UserError);
    expect(withoutSecrets('before unusual-word-6 after')).toBe('before … after');
  });
});
