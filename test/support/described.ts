import { gunzipSync } from 'node:zlib';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describeVersion } from '../../src/http/description/description.ts';
import { serversOf } from '../../src/http/description/served.ts';
import { VERSION_1, VERSION_2 } from '../../src/http/description/versions.ts';
import type { Answer, Sent } from './http.ts';

/**
 * Validates every exchange of request and response against the API's description. It fetches the
 * description like any client, and shares no code with the service.
 */

interface Operation {
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
  readonly responses: Readonly<Record<string, Response & { readonly $ref?: string }>>;
}
interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly required?: boolean;
  readonly schema: { readonly type: string };
}
interface Response {
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: Readonly<Record<string, unknown>>;
}
interface Header {
  readonly required?: boolean;
  readonly schema: { readonly type: string };
}
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, Response>>;
    readonly headers: Readonly<Record<string, Header>>;
  };
}

/** A place in the description: the version, then the path of members. */
type Place = readonly [version: string, ...steps: string[]];

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
// In addition to RFC 3339: the year in UTC must be 0000 to 9999, too.
const isDateTime = ajv.compile({ type: 'string', format: 'date-time' });
const YEARS = [Date.parse('0000-01-01T00:00:00.000Z'), Date.parse('9999-12-31T23:59:59.999Z')];

const versions = new Map<string, Description>();
for (const version of [VERSION_1, VERSION_2]) {
  const servers = serversOf(version, { production: undefined, staging: undefined });
  const description = JSON.parse(describeVersion(version, servers));
  versions.set(version.name, description);
  ajv.addSchema(description, version.name);
}

/** Throws unless the description permits this response to this request. */
export function checkExchange(sent: Sent, answer: Answer): void {
  const wrong = complaintAbout(sent, answer);
  if (wrong === undefined) return;
  const { status, headers, text } = answer;
  const told = `${sent.method} ${sent.path}\n${status} ${JSON.stringify(headers)}\n${text.slice(0, 500)}`;
  throw new Error(`The description does not allow this: ${wrong}\n${told}`);
}

/** Returns how an exchange violates the description; `undefined` if it does not. */
export function complaintAbout(sent: Sent, answer: Answer): string | undefined {
  try {
    const found = find(sent);
    if (typeof found === 'string') checkUndescribed(found, sent, answer);
    else checkDescribed(found, sent, answer);
    return undefined;
  } catch (error) {
    if (error instanceof Complaint) return error.message;
    throw error;
  }
}

class Complaint extends Error {}

function demand(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Complaint(otherwise);
}

interface Found {
  readonly place: Place;
  readonly description: Description;
  readonly operation: Operation;
  readonly pathValues: Readonly<Record<string, string>>;
}

/** Returns the permitted responses to a request that the description does not cover. */
const UNDESCRIBED = {
  'no version of the API': [200, 204, 304, 308, 400, 404, 405, 429, 503],
  'no such path': [400, 401, 404, 429, 503],
  'no such method': [204, 400, 401, 405, 429, 503],
} as const;

function find({ method, path }: Sent): Found | keyof typeof UNDESCRIBED {
  const [, version = '', below = ''] = /^\/(v\d+)(?=[/?]|$)([^?]*)/.exec(path) ?? [];
  const description = versions.get(version);
  if (description === undefined) return 'no version of the API';
  for (const [template, operations] of Object.entries(description.paths)) {
    const pattern = template.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)');
    const match = new RegExp(`^${pattern}$`).exec(below);
    if (match === null) continue;
    const key = method === 'HEAD' ? 'get' : method.toLowerCase();
    const operation = operations[key];
    if (operation === undefined) return 'no such method';
    const place: Place = [version, 'paths', template, key];
    return { place, description, operation, pathValues: { ...match.groups } };
  }
  return 'no such path';
}

function checkUndescribed(reason: keyof typeof UNDESCRIBED, sent: Sent, answer: Answer): void {
  const { status } = answer;
  demand((UNDESCRIBED[reason] as readonly number[]).includes(status), `a ${status} at ${reason}`);
  if (status === 405) demand('allow' in answer.headers, 'a 405 without Allow');
  if (status === 308) demand(/\/(?:\?|$)/.test(sent.path), 'a 308 from an address without a slash');
  // Beside the API, a browser gets a page, which it asks for by GET.
  const accepted = String(lowerCased(sent).accept);
  const isBeside = status === 404 && reason === 'no version of the API';
  const isPage = isBeside && sent.method === 'GET' && /text\/html/.test(accepted);
  if (isPage) demand(answer.text.startsWith('<!doctype html>'), 'no page');
  else if (status >= 400 && sent.method !== 'HEAD') {
    checkBody('application/json', ['v1', 'components', 'schemas', 'Error'], answer);
    demand(JSON.parse(answer.text).status === status, 'an Error with another status');
  }
}

function checkDescribed(found: Found, sent: Sent, answer: Answer): void {
  const { operation, description, place } = found;
  const { status } = answer;
  const named = operation.responses[status];
  demand(named !== undefined, `the operation has no ${status}`);
  const shared = named.$ref?.split('/').at(-1);
  const response = shared === undefined ? named : description.components.responses[shared];
  const at: Place =
    shared === undefined
      ? [...place, 'responses', String(status)]
      : [place[0], 'components', 'responses', shared];
  checkHeaders(response?.headers ?? {}, found, answer);
  if (status === 304) demand('if-none-match' in lowerCased(sent), 'a 304 that nobody asked for');
  if (sent.method === 'HEAD' || response?.content === undefined) {
    demand(answer.body.length === 0, 'a body where there is none');
  } else {
    const [type = ''] = String(answer.headers['content-type']).split(';');
    demand(type in response.content, `a body of type ${type}`);
    checkBody(type, [...at, 'content', type, 'schema'], answer);
  }
  checkJudgement(found, sent, answer);
}

/** Headers that any response may have: of HTTP itself, and those for browsers and proxies. */
const OF_ALL_ANSWERS =
  /^(?:date|connection|keep-alive|content-(?:type|length|encoding|security-policy)|transfer-encoding|strict-transport-security|x-content-type-options|cross-origin-resource-policy|x-accel-buffering|access-control-.*)$/;

function checkHeaders(
  headers: Readonly<Record<string, { readonly $ref: string }>>,
  { description, place: [version] }: Found,
  answer: Answer,
): void {
  const named = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  for (const [name, value] of Object.entries(answer.headers)) {
    const isOfAll = OF_ALL_ANSWERS.test(name) || (name === 'vary' && value === 'Origin');
    demand(named.has(name) || isOfAll, `the header ${name}, which is not described`);
  }
  for (const [name, { $ref }] of Object.entries(headers)) {
    const id = $ref.split('/').at(-1) as string;
    const header = description.components.headers[id] as Header;
    const given = answer.headers[name.toLowerCase()];
    demand(given !== undefined || header.required !== true, `no header ${name}`);
    if (given === undefined) continue;
    const value = header.schema.type === 'integer' ? Number(given) : String(given);
    check([version, 'components', 'headers', id, 'schema'], value, `header ${name}`);
  }
}

/** Checks that malformed requests, and only those, were refused as malformed. */
function checkJudgement(found: Found, sent: Sent, { status, text }: Answer): void {
  const fault = faultOf(found, sent);
  if (fault !== undefined) demand(status >= 400, `it was accepted, although ${fault}`);
  else if (!isBeyondDescription(sent, text)) {
    demand(![400, 413, 415].includes(status), 'a good request was called malformed');
  }
}

/**
 * Recognizes refusals for reasons that a description cannot express: a cursor of another list, a
 * future moment, a position beyond the log, one that was given twice, an epoch of another log, a name that
 * contains an API key, too many items for the key's burst, too many buckets.
 */
function isBeyondDescription(sent: Sent, text: string): boolean {
  const { method, path } = sent;
  const isOfMoment = /[?&](?:after|asOf)=/.test(path) || 'last-event-id' in lowerCased(sent);
  // The answer to HEAD has no text.
  const says = (reason: RegExp) => method === 'HEAD' || reason.test(text);
  return (
    text.includes('"Idempotency-Key: must not have an API key in it"') ||
    (/:batch(?:Cancel|Place)$/.test(path) && /items at once, and this batch has/.test(text)) ||
    (isOfMoment && says(/"(?:after|asOf|Last-Event-ID): /)) ||
    (/\/events\/[^/]+\/receipt$/.test(path) &&
      says(
        /"position: (?:position \d+ (?:was given|of epoch) |the log has never been in epoch )/,
      )) ||
    (/\/activity\?/.test(path) && says(/buckets, and an answer/)) ||
    (/\/proofs\//.test(path) && says(/"the log /))
  );
}

/** Returns how a request violates the description. */
function faultOf(found: Found, sent: Sent): string | undefined {
  const { place, operation, pathValues } = found;
  const query = new URLSearchParams(sent.path.split('?', 2)[1] ?? '');
  const parameters = operation.parameters ?? [];
  const headers = lowerCased(sent);
  const values = {
    path: (name: string) => [decoded(pathValues[name])],
    query: (name: string) => query.getAll(name),
    // Several lines of one header field form a list (RFC 9110, section 5.3).
    header: (name: string) => {
      const value = headers[name.toLowerCase()];
      return value === undefined ? [] : [[value].flat().join(', ').trim()];
    },
  };
  for (const [index, parameter] of parameters.entries()) {
    const given = values[parameter.in](parameter.name);
    if (given.length === 0 && parameter.required !== true) continue;
    const at: Place = [...place, 'parameters', String(index), 'schema'];
    const [text] = given;
    if (given.length !== 1 || text === undefined) return `${parameter.name} is not there once`;
    if (!isValidText(at, text, parameter.schema.type)) return `${parameter.name} is malformed`;
  }
  const known = new Set(parameters.map(({ name }) => name));
  const unknown = [...query.keys()].find((name) => !known.has(name));
  const isStrict = place[0] !== 'v1' || operation.tags.includes('audit');
  if (isStrict && unknown !== undefined) return `there is no parameter ${unknown}`;
  // Said in the text about a version as a whole.
  const unread = RESTRICTIONS.filter((name) => !known.has(name) && name.toLowerCase() in headers);
  const isChange = !['GET', 'HEAD'].includes(sent.method);
  if (isChange && unread.length > 0) return `it has ${unread}`;
  return operation.requestBody === undefined ? undefined : faultOfBody(place, sent);
}

/** Headers with which a change is refused, unless its operation reads them. */
const RESTRICTIONS = ['If-Match', 'If-None-Match', 'Content-Range'];

function decoded(text = ''): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function isValidText(at: Place, text: string, type: string): boolean {
  if (type === 'boolean') return text === 'true' || text === 'false';
  if (type === 'integer') return isWhole(text) && text !== '-0' && isValid(at, Number(text));
  return isValid(at, text);
}

/** Any parameters, but none that names another charset. */
const JSON_IN_UTF_8 =
  /^application\/json[ \t]*(?:;[ \t]*(?:charset=(?:utf-8|"utf-8")|(?!charset)\w+=[\w-]+)[ \t]*)*$/i;

function faultOfBody(place: Place, sent: Sent): string | undefined {
  const headers = lowerCased(sent);
  const type = String(headers['content-type'] ?? '');
  if (!JSON_IN_UTF_8.test(type)) return `its type is ${type}`;
  const encoding = String(headers['content-encoding'] ?? 'identity');
  if (encoding.toLowerCase() !== 'identity') return `it is encoded by ${encoding}`;
  const body = Buffer.from(sent.body ?? '');
  const maxBytes = place[2] === '/store/orders:batchPlace' ? 131_072 : 16_384;
  if (body.length > maxBytes) return 'it is too large';
  try {
    const value = parseStrictly(new TextDecoder('utf-8', { fatal: true }).decode(body));
    const at: Place = [...place, 'requestBody', 'content', 'application/json', 'schema'];
    return isValid(at, value) ? undefined : 'its body is malformed';
  } catch (error) {
    return `its body is not JSON: ${error}`;
  }
}

function checkBody(described: string, at: Place, answer: Answer): void {
  const type = answer.headers['content-type'];
  const header = described === 'text/csv' ? '; header=present' : '';
  demand(type === `${described}; charset=utf-8${header}`, `a body of type ${type}`);
  const packed = answer.headers['content-encoding'] === 'gzip';
  const text = packed ? gunzipSync(answer.body).toString() : answer.text;
  check(at, described.endsWith('json') ? readJson(text) : text, 'the body');
}

function readJson(text: string): unknown {
  try {
    return parseStrictly(text);
  } catch (error) {
    throw new Complaint(`the body is not JSON: ${error}`);
  }
}

/**
 * Parses numbers as JSON Schema sees them, except that an integer has to be written in digits only
 * and fit 64 bits. Any other becomes a fraction, which no schema here accepts.
 */
function parseStrictly(text: string): unknown {
  return JSON.parse(text, (_key, value, context?: { readonly source?: string }) =>
    typeof value === 'number' && !isWhole(context?.source ?? '') ? 0.5 : value,
  );
}

function isWhole(text: string): boolean {
  if (!/^-?(?:0|[1-9]\d{0,18})$/.test(text)) return false;
  return BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

const validators = new Map<string, ValidateFunction>();

function validatorFor(at: Place): ValidateFunction {
  const [version, ...steps] = at;
  const pointer = steps.map((step) => step.replaceAll('~', '~0').replaceAll('/', '~1'));
  const $ref = `${version}#/${pointer.map(encodeURIComponent).join('/')}`;
  const known = validators.get($ref) ?? ajv.compile({ $ref });
  validators.set($ref, known);
  return known;
}

function isValid(at: Place, value: unknown): boolean {
  return (validatorFor(at)(value) as boolean) && hasPossibleDates(value);
}

function check(at: Place, value: unknown, what: string): void {
  const validate = validatorFor(at);
  if (validate(value)) return;
  const [first] = validate.errors ?? [];
  throw new Complaint(`${what}${first?.instancePath}: ${first?.message}`);
}

function hasPossibleDates(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) {
    return Object.values(value).every(hasPossibleDates);
  }
  if (typeof value !== 'string' || !isDateTime(value)) return true;
  const cut = value.toUpperCase().replace(/(\.\d{3})\d+/, '$1');
  const time = Date.parse(cut);
  return time >= (YEARS[0] as number) && time <= (YEARS[1] as number);
}

function lowerCased({ headers = {} }: Sent): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}
