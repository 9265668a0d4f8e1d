import type { Asked } from '../targets/api-client.ts';
import { isSuccess, told } from '../targets/orders-api.ts';
import { ORDER } from '../targets/trace.ts';
import { attemptsOf, check401, keyInQuery, misplacedKeys } from './attempts.ts';
import { absentIds, freshPet, placePending } from './orders.ts';
import { type Check, must, SERVICE_WRITES, type Trial } from './trial.ts';

/**
 * Checks that a request without a valid key is a 401 whatever else it has: conditions, kept answers,
 * caches and other spellings, which careless servers look at before the key.
 */

const HEADERS = 'without a valid key, a request is a 401 whatever other headers it has';
const MISPLACED = 'a key in a cookie, or in another header than Authorization, is a 401';
const PATHS = 'without a valid key, neither HEAD, a query nor another spelling of the path helps';
const CANCELS = 'without a valid key, a cancellation is a 401 whatever else it has';
const NAMED = 'without a valid key, a request under an Idempotency-Key is a 401, used or not';

const LIST = '/store/orders';

/** The list's path as a careless router reads it, and a check of keys perhaps does not. */
const SPELLINGS = [
  ...['/store/orders/', '//store/orders', '/store//orders', '/STORE/ORDERS', '/store/order%73'],
  ...['/store/orders%2F', '/store/orders;x=1', '/store/orders.json'],
] as const;

export const withoutKey: readonly Check[] = [
  {
    name: HEADERS,
    group: 'authentication',
    basis: 'contract',
    needs: [],
    async run(trial) {
      const { client } = trial.api;
      const [first] = trial.lacking.has('to get one order') ? [] : await trial.api.list();
      for (const path of [LIST, ...(first ? [`${LIST}/${first.id}`] : [])]) {
        const tag = (await client.ask('GET', path)).header('etag') || '"1"';
        for (const headers of [...conditionsOn(tag), ...OTHERS]) {
          await refuseAll(trial, HEADERS, 'GET', path, { headers });
        }
      }
      return undefined;
    },
  },
  {
    name: MISPLACED,
    group: 'authentication',
    basis: 'contract',
    needs: [],
    async run({ api, key }) {
      for (const { what, asked } of misplacedKeys(key)) {
        check401(await api.client.ask('GET', LIST, asked), MISPLACED, what);
      }
      return undefined;
    },
  },
  {
    name: PATHS,
    group: 'authentication',
    basis: 'contract',
    needs: ['to write'],
    async run(trial) {
      const { client } = trial.api;
      const [absent = -1n] = await absentIds(trial);
      await refuseAll(trial, PATHS, 'GET', `${LIST}?x=1`, {});
      await refuseAll(trial, PATHS, 'DELETE', `${LIST}/${absent}?x=1`, {});
      const { what, asked, query } = keyInQuery(trial.key);
      const shell = `${LIST}${query.shell}`;
      const answer = await client.ask('GET', `${LIST}${query.value}`, { ...asked, shell });
      check401(answer, PATHS, what);
      for (const { what, asked } of wrongKeys(trial)) {
        const answer = await client.ask('HEAD', LIST, asked);
        // The contract has no HEAD, and leaves open how it is refused.
        const isRefused = trial.isContractOnly ? answer.status >= 400 : answer.status === 401;
        must(isRefused && answer.text === '', PATHS, `HEAD with ${what} is ${told(answer)}`);
      }
      for (const path of SPELLINGS) {
        const answer = await client.ask('GET', path, { authorization: null });
        // Many routers and proxies redirect to the path as they spell it, which shows nothing.
        must(!isSuccess(answer), PATHS, `GET ${path} with no key is ${told(answer)}`);
      }
      return undefined;
    },
  },
  {
    name: CANCELS,
    group: 'authentication',
    basis: 'contract',
    needs: ['to write', 'to place'],
    run: checkCancellations,
  },
];

/** The check that needs commands and Idempotency-Keys: it runs after theirs. */
export const namedWithoutKey: Check = {
  name: NAMED,
  group: 'authentication',
  basis: 'contract',
  needs: SERVICE_WRITES,
  run: checkNamed,
};

type Headers = NonNullable<Asked['headers']>;

/** Returns headers that have a request answered without its resource. */
function conditionsOn(tag: string): readonly Headers[] {
  return [
    { 'if-none-match': tag },
    { 'if-none-match': '*' },
    { 'if-modified-since': 'Thu, 31 Dec 2099 23:59:59 GMT' },
  ];
}

const OTHERS: readonly Headers[] = [
  { range: 'bytes=0-1' },
  { 'cache-control': 'max-stale' },
  { origin: 'http://127.0.0.1' },
  { 'x-forwarded-for': '127.0.0.1' },
  { 'idempotency-key': 'conformance' },
];

function wrongKeys({ key }: Trial) {
  return attemptsOf(key).slice(0, 2);
}

/** Sends a request without a key, and with another one. */
async function refuseAll(
  trial: Trial,
  rule: string,
  method: string,
  path: string,
  more: Asked,
): Promise<void> {
  const { client } = trial.api;
  for (const { what, asked } of wrongKeys(trial)) {
    client.trace.take();
    const answer = await client.ask(method, path, { ...more, ...asked });
    const [header] = Object.keys(more.headers ?? {});
    const beside = header === undefined ? '' : ` and ${header}`;
    check401(answer, rule, `${method} ${path} with ${what}${beside}`);
  }
}

async function checkCancellations(trial: Trial): Promise<undefined> {
  const { client } = trial.api;
  const id = await placePending(trial);
  const path = `${LIST}/${id}`;
  for (const headers of [{ 'if-match': '*' }, ...OTHERS]) {
    await refuseAll(trial, CANCELS, 'DELETE', path, { headers });
  }
  const about = { about: id, shell: `${LIST}/${ORDER}?x=1` };
  await refuseAll(trial, CANCELS, 'DELETE', `${path}?x=1`, about);
  for (const { what, asked } of misplacedKeys(trial.key)) {
    check401(await client.ask('DELETE', path, asked), CANCELS, what);
  }
  const { what, asked, query } = keyInQuery(trial.key);
  const shell = `${LIST}/${ORDER}${query.shell}`;
  const queried = { ...asked, about: id, shell };
  check401(await client.ask('DELETE', `${path}${query.value}`, queried), CANCELS, what);
  const headers = { 'x-http-method-override': 'DELETE' };
  const overridden = await client.ask('POST', path, { authorization: null, headers });
  must(overridden.status >= 400, CANCELS, `overridden, it is ${told(overridden)}`);
  // If it had been cancelled, it could not be shipped.
  if (trial.lacking.has('to ship')) return undefined;
  const shipped = await trial.api.ship(id, DATE);
  must(typeof shipped !== 'string', CANCELS, `order ${id} does not ship: ${shipped}`);
  return undefined;
}

const DATE = '2026-01-01T00:00:00.000Z';

async function checkNamed(trial: Trial): Promise<undefined> {
  const { client } = trial.api;
  const [shipped, cancelled, petId] = [
    await placePending(trial),
    await placePending(trial),
    freshPet(),
  ];
  const place = ['POST', LIST, { body: `{"petId":${petId},"quantity":1}` }] as const;
  const requests = [
    place,
    ['PUT', `${LIST}/${shipped}/shipment`, { body: `{"shipDate":"${DATE}"}` }],
    ['DELETE', `${LIST}/${cancelled}`, {}],
  ] as const;
  for (const [method, path, asked] of requests) {
    const headers = { 'idempotency-key': `conformance-${freshPet()}` };
    const first = await client.ask(method, path, { ...asked, headers });
    // The contract has no such keys: a server that refuses one has kept nothing under it.
    if (trial.isContractOnly && !isSuccess(first)) return;
    must(isSuccess(first), NAMED, `the first ${method}, with the key, is ${told(first)}`);
    if (method === 'PUT') trial.ledger.ship(shipped, DATE);
    for (const { what, asked: wrong } of wrongKeys(trial)) {
      const again = await client.ask(method, path, { ...asked, headers, ...wrong });
      check401(again, NAMED, `the same ${method} with ${what}`);
    }
  }
  // Nor may a refusal be kept for the client who has the key.
  const [method, path, asked] = place;
  const headers = { 'idempotency-key': `conformance-${freshPet()}` };
  const refused = await client.ask(method, path, { ...asked, headers, authorization: null });
  check401(refused, NAMED, `${method} with no key`);
  const placed = await client.ask(method, path, { ...asked, headers });
  must(isSuccess(placed), NAMED, `the same ${method} with the key is ${told(placed)}`);
  return undefined;
}
