import { FEW_DATES } from '../arbitraries.ts';
import { idInBody } from '../targets/api-client.ts';
import { checkError, checkJson, told } from '../targets/orders-api.ts';
import { freshPet, placePending } from './orders.ts';
import { type Check, must, SERVICE_WRITES, type Trial } from './trial.ts';

const LOCATION = 'a new order is a 201 with its Location, which is that of its id';
const REFUSED = 'an order with a wrong value is a 400 and not placed';
const NO_DATE = 'a shipment without a date is a 400 and ships nothing';
const NOT_FOUND = 'an order that is not there is neither shown nor shipped';
const METHODS = 'another method is a 405, with Allow';
const HEAD = 'HEAD is answered as GET, without a body';
const CODES = 'an error has the code of the table';

/** Checks of what this service promises beyond the contract. */
export const promises: readonly Check[] = [
  {
    name: LOCATION,
    group: 'place',
    basis: 'promise',
    needs: SERVICE_WRITES,
    async run({ api }) {
      const body = '{"petId":7,"quantity":1}';
      const answer = await api.client.ask('POST', '/store/orders', { body });
      must(answer.status === 201, LOCATION, `it is ${told(answer)}`);
      checkJson(answer, LOCATION);
      const id = idInBody(answer);
      const location = answer.header('location');
      // Of the same host: a client would send its key to another one. The path may be behind a proxy.
      const found = URL.parse(location, api.client.baseUrl);
      const isRight =
        id !== undefined &&
        found?.host === new URL(api.client.baseUrl).host &&
        `${found.pathname}${found.search}`.endsWith(`/store/orders/${id}`);
      must(isRight, LOCATION, `the Location of order ${id} is ${location || 'absent'}`);
      return undefined;
    },
  },
  {
    name: REFUSED,
    group: 'place',
    basis: 'promise',
    needs: SERVICE_WRITES,
    async run(trial) {
      const petId = freshPet();
      for (const body of wrongOrders(petId)) {
        const answer = await trial.api.client.ask('POST', '/store/orders', { body });
        must(answer.status === 400, REFUSED, `${body} is ${told(answer)}`);
        checkError(answer, 400, 'invalid_request');
      }
      const placed = (await trial.api.list()).find((order) => order.petId === petId);
      must(placed === undefined, REFUSED, `order ${placed?.id} was placed, whatever was answered`);
      return undefined;
    },
  },
  {
    name: NO_DATE,
    group: 'ship',
    basis: 'promise',
    needs: SERVICE_WRITES,
    async run(trial) {
      const id = await placePending(trial);
      for (const body of [
        '{}',
        '{"shipDate":null}',
        '{"shipDate":"tomorrow"}',
        '{"shipDate":"2026-02-30T00:00:00Z"}',
      ]) {
        const answer = await trial.api.client.ask('PUT', `/store/orders/${id}/shipment`, { body });
        must(answer.status === 400, NO_DATE, `${body} is ${told(answer)}`);
        checkError(answer, 400, 'invalid_request');
      }
      const refusal = await trial.api.cancel(id);
      must(
        refusal === undefined,
        NO_DATE,
        `order ${id} cannot be cancelled afterwards: ${refusal}`,
      );
      return undefined;
    },
  },
  {
    name: NOT_FOUND,
    group: 'errors',
    basis: 'promise',
    needs: SERVICE_WRITES,
    async run(trial) {
      const id = -(await placePending(trial)) - 10n;
      checkError(await trial.api.askToShip(id, FEW_DATES[0]), 404, 'order_not_found');
      if (trial.lacking.has('to get one order')) return undefined;
      const shown = await trial.api.client.ask('GET', `/store/orders/${id}`);
      must(shown.status === 404, NOT_FOUND, `it is ${told(shown)}`);
      checkError(shown, 404, 'order_not_found');
      return undefined;
    },
  },
  {
    name: METHODS,
    group: 'errors',
    basis: 'promise',
    needs: SERVICE_WRITES,
    async run({ api }) {
      for (const method of ['PATCH', 'PUT']) {
        const answer = await api.client.ask(method, '/store/orders', { body: '{}' });
        must(answer.status === 405, METHODS, `${method} is ${told(answer)}`);
        checkError(answer, 405, 'method_not_allowed');
        const allowed = answer.header('allow').split(/ *, */);
        const isRight = ['GET', 'HEAD', 'POST'].every((each) => allowed.includes(each));
        must(isRight, METHODS, `Allow is ${allowed.join(', ') || 'absent'}`);
      }
      return undefined;
    },
  },
  {
    name: HEAD,
    group: 'list',
    basis: 'promise',
    needs: SERVICE_WRITES,
    async run(trial) {
      const { client } = trial.api;
      const paths = ['/store/orders'];
      if (!trial.lacking.has('to get one order')) {
        paths.push(`/store/orders/${await placePending(trial)}`);
      }
      for (const path of paths) {
        const answer = await client.ask('HEAD', path);
        must(answer.status === 200 && answer.text === '', HEAD, `${path} is ${told(answer)}`);
        checkJson(answer, HEAD);
        must(answer.header('etag') !== '', HEAD, `${path} has no ETag`);
      }
      return undefined;
    },
  },
  {
    name: CODES,
    group: 'errors',
    basis: 'promise',
    needs: SERVICE_WRITES,
    run: checkCodes,
  },
];

/** Provokes each error, and compares its code. */
async function checkCodes(trial: Trial): Promise<undefined> {
  const { client } = trial.api;
  const [shipped, cancelled] = [await placePending(trial), await placePending(trial)];
  await trial.api.ship(shipped, FEW_DATES[0]);
  await trial.api.cancel(cancelled);
  const text = { body: 'petId=1', headers: { 'content-type': 'text/plain' } };
  for (const [code, status, answer] of [
    ['unauthorized', 401, await client.ask('GET', '/store/orders', { authorization: null })],
    ['order_already_shipped', 409, await client.ask('DELETE', `/store/orders/${shipped}`)],
    ['order_already_shipped', 409, await trial.api.askToShip(shipped, FEW_DATES[1])],
    ['order_cancelled', 409, await trial.api.askToShip(cancelled, FEW_DATES[0])],
    ['order_not_found', 404, await client.ask('DELETE', `/store/orders/${-shipped}`)],
    ['invalid_request', 400, await client.ask('DELETE', '/store/orders/abc')],
    ['not_found', 404, await client.ask('GET', '/nothing/here')],
    ['unsupported_media_type', 415, await client.ask('POST', '/store/orders', text)],
  ] as const) {
    checkError(answer, status, code);
    const isRight = answer.text.includes(`"${code}"`);
    must(isRight, CODES, `the code should be ${code}: ${told(answer)}`);
  }
  return undefined;
}

/** Returns bodies of orders with one wrong value each. */
function wrongOrders(petId: bigint): readonly string[] {
  const pet = `"petId":${petId}`;
  return [
    ...['0', '-1', '1.5', '"1"', 'null', '2147483648'].map((each) => `{${pet},"quantity":${each}}`),
    `{${pet}}`,
    '{"quantity":1}',
    ...[`"${petId}"`, 'null', '1.5', `${2n ** 63n}`].map(
      (each) => `{"petId":${each},"quantity":1}`,
    ),
    ...['"tomorrow"', '1', '"2026-02-30T00:00:00Z"'].map(
      (date) => `{${pet},"quantity":1,"shipDate":${date}}`,
    ),
    `[{${pet},"quantity":1}]`,
    `{${pet},"quantity":1`,
  ];
}
