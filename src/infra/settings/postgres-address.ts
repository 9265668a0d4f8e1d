/**
 * Parses the address of a database: a connection URI of libpq with several hosts, percent-encoded
 * parts and parameters. JavaScript's `URL` accepts one host only, and silently misreads a password
 * that is not encoded. Nothing but the text is read here.
 */

/** A server, or the folder of a Unix socket. */
interface Host {
  readonly name: string;
  readonly port: number;
}

const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
export type SslMode = (typeof SSL_MODES)[number];

export interface Address {
  /** In the order in which they are tried. */
  readonly hosts: readonly Host[];
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string;
  readonly sslmode: SslMode;
  /** Files for TLS, by the names that libpq has for them. */
  readonly files: Readonly<Partial<Record<TlsFile, string>>>;
  /** Of the private key. */
  readonly sslpassword: string | undefined;
  /** In milliseconds; absent: the engine's own. */
  readonly connectTimeoutMs: number | undefined;
  /** Settings of the session, such as `-c work_mem=8MB`. */
  readonly options: string | undefined;
}

const TLS_FILES = ['sslrootcert', 'sslcert', 'sslkey'] as const;
export type TlsFile = (typeof TLS_FILES)[number];

const DEFAULT_PORT = 5432;
const MAX_PORT = 65_535;
/** libpq's minimum, and a maximum that catches typing errors. */
const CONNECT_TIMEOUT_SECONDS = { min: 2, max: 300 };

const PARAMETERS = new Set([
  'host',
  'port',
  'dbname',
  'user',
  'password',
  'sslmode',
  'ssl',
  ...TLS_FILES,
  'sslpassword',
  'connect_timeout',
  'options',
  'target_session_attrs',
]);

/** Parameters of libpq that are refused with a specific reason. */
const REFUSED: Readonly<Record<string, string>> = {
  application_name: 'must not set application_name: running instances are counted by it',
  passfile: 'must not set passfile: a password is taken from the address or from PGPASSWORD',
};

/** Thrown for an invalid address. The message never repeats a part that may be a password. */
export class NoAddress extends Error {
  override readonly name = 'NoAddress';
}

/**
 * Reads the address of a database. Throws {@link NoAddress} for anything else, with a message that begins
 * with "must".
 */
export function parseAddress(url: string): Address {
  const rest = url.replace(/^postgres(?:ql)?:\/\//, '');
  refuseUnencoded(rest);
  const [, userInfo, hostList = '', path, query = ''] =
    /^(?:([^@/?]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(rest) ?? [];
  const parameters = parametersIn(query);
  const [user, ...password] = (userInfo ?? '').split(':');
  const database = parameters.get('dbname') ?? decoded(path ?? '');
  const hosts = hostsIn(hostList, parameters);
  if (database === '' || hosts.length === 0) {
    throw new NoAddress('must name a host and a database: postgres://USER@HOST/DATABASE');
  }
  return {
    hosts,
    user: (parameters.get('user') ?? decoded(user ?? '')) || undefined,
    password: (parameters.get('password') ?? decoded(password.join(':'))) || undefined,
    database,
    sslmode: sslmodeIn(parameters),
    files: Object.fromEntries(TLS_FILES.flatMap((name) => given(name, parameters))),
    sslpassword: parameters.get('sslpassword') || undefined,
    connectTimeoutMs: connectTimeoutIn(parameters),
    options: parameters.get('options') || undefined,
  };
}

/** Returns an address without user, password and parameters, for messages. */
export function shownAddress(url: string): string {
  const { hosts, database } = parseAddress(url);
  return `postgres://${hosts.map(hostText).join()}/${encodeURIComponent(database)}`;
}

/** Returns a host as it is written in an address. */
export function hostText({ name, port }: Host): string {
  if (isSocket(name)) return encodeURIComponent(name);
  const host = name.includes(':') ? `[${name}]` : name;
  return port === DEFAULT_PORT ? host : `${host}:${port}`;
}

/** Returns true if a host is the folder of a Unix socket. */
export function isSocket(host: string): boolean {
  return host.startsWith('/');
}

// An @ in a password looks like its end, and after a / ? or # in a password the @ comes too late.
// Such an address is ambiguous, so it is refused.
function refuseUnencoded(rest: string): void {
  const at = rest.indexOf('@');
  const end = rest.search(/[/?#]/);
  const isLate = end !== -1 && at > end;
  if (isLate || rest.indexOf('@', at + 1) > at || rest.includes('#')) {
    throw new NoAddress(
      'must have special characters of a user name or a password percent-encoded: ' +
        '@ as %40, / as %2F, ? as %3F, # as %23, % as %25',
    );
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new NoAddress('must have each % that is meant as such written as %25');
  }
}

function parametersIn(query: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const pair of query.split('&').filter((text) => text !== '')) {
    const [name = '', ...value] = pair.split('=');
    // The name is not repeated: it may be the rest of a password.
    if (value.length === 0) throw new NoAddress('must have parameters as NAME=VALUE after its ?');
    parameters.set(decoded(name), decoded(value.join('=')));
  }
  const unknown = [...parameters.keys()].filter((name) => !PARAMETERS.has(name));
  for (const name of unknown) {
    throw new NoAddress(
      REFUSED[name] ??
        `must not set ${name}, which is not supported: what is, is ${[...PARAMETERS].join(', ')}`,
    );
  }
  const target = parameters.get('target_session_attrs') ?? 'any';
  if (!['any', 'read-write', 'primary'].includes(target)) {
    throw new NoAddress('must have target_session_attrs=read-write: only the primary is used');
  }
  return parameters;
}

/** Hosts and ports are lists of the same length; as in libpq, a single port is for all hosts. */
function hostsIn(list: string, parameters: ReadonlyMap<string, string>): readonly Host[] {
  const listed = list.split(',').map(splitHost);
  const names = parameters.get('host')?.split(',') ?? listed.map(([name]) => name);
  const ports = parameters.get('port')?.split(',') ?? listed.map(([, port]) => port);
  if (names.some((name) => name === '')) return [];
  if (ports.length > 1 && ports.length !== names.length) {
    throw new NoAddress('must have one port for all hosts, or one for each');
  }
  return names.map((name, index) => ({
    name,
    port: portOf(ports.length > 1 ? ports[index] : ports[0]),
  }));
}

function splitHost(text: string): readonly [name: string, port: string] {
  const [, bracketed, plain = '', port = ''] =
    /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(.*))?$/s.exec(text) ?? [];
  return [decoded(bracketed ?? plain), decoded(port)];
}

function portOf(text = ''): number {
  if (text === '') return DEFAULT_PORT;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > MAX_PORT) {
    throw new NoAddress(
      'must have ports from 1 to 65535; special characters of a password are percent-encoded',
    );
  }
  return port;
}

function sslmodeIn(parameters: ReadonlyMap<string, string>): SslMode {
  const isSystem = parameters.get('sslrootcert') === 'system';
  // libpq accepts "ssl=true" for compatibility with JDBC.
  const implied =
    parameters.get('ssl') === 'true' ? 'require' : isSystem ? 'verify-full' : 'prefer';
  const asked = parameters.get('sslmode') ?? implied;
  const mode = SSL_MODES.find((known) => known === asked);
  if (mode === undefined)
    throw new NoAddress(`must have sslmode as one of ${SSL_MODES.join(', ')}`);
  // Without a comparison of the name, any certificate of a public authority would pass.
  if (isSystem && mode !== 'verify-full') {
    throw new NoAddress('must have sslmode=verify-full where sslrootcert=system');
  }
  return mode;
}

function given(name: TlsFile, parameters: ReadonlyMap<string, string>): [TlsFile, string][] {
  const value = parameters.get(name);
  return value === undefined || value === '' ? [] : [[name, value]];
}

function connectTimeoutIn(parameters: ReadonlyMap<string, string>): number | undefined {
  const text = parameters.get('connect_timeout');
  if (text === undefined) return undefined;
  const { min, max } = CONNECT_TIMEOUT_SECONDS;
  const seconds = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (seconds < 1 || seconds > max) {
    throw new NoAddress(`must have connect_timeout as a number of seconds from 1 to ${max}`);
  }
  return Math.max(seconds, min) * 1_000;
}
