import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Beside } from '../../support/beside.ts';
import type { Answer, Asked } from '../../support/http.ts';
import { bearer, Service } from '../../support/service.ts';

/**
 * Records the examples of the description: real responses of the service to real requests.
 * `npm run openapi` runs this to write them; as a test it fails if they have changed.
 */

const V1 = '/v1/store/orders';
const V2 = '/v2/store/orders';
const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const SHIPMENT = { shipDate: '2026-03-04T09:00:00Z' };

type Bodies = Record<string, string>;

/** Runs the sequence of requests of the examples on a new store. */
class Recording {
  readonly versions: Record<string, Record<string, Bodies>> = { v1: {}, v2: {} };
  readonly errors: Bodies = {};
  readonly #service: Service;
  readonly #begun = Date.now();

  constructor(service: Service) {
    this.#service = service;
  }

  /** Sends a request, and records its response, and its body if it has one, under a name. */
  async note(id: string, name: string, method: string, path: string, body?: object) {
    const answer = await this.#send(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    const version = this.versions[path.slice(1, 3)] ?? {};
    const add = (key: string, text: string) => {
      version[key] = { ...version[key], [name]: text };
    };
    if (body !== undefined) add(`${id} request`, JSON.stringify(body));
    if (answer.text !== '') add(`${id} ${answer.status}`, answer.text);
  }

  /** Sends a request that is not an example. */
  async silently(method: string, path: string, body?: object): Promise<void> {
    await this.#send(method, path, body);
  }

  /** Sends a request that is refused, and records the error. */
  async refusal(method: string, path: string, body?: object | string, asked: Asked = {}) {
    const { status, text } = await this.#send(method, path, body, asked);
    this.errors[`${status} ${JSON.parse(text).code}`] = text;
  }

  async #send(
    method: string,
    path: string,
    body?: object | string,
    asked: Asked = {},
  ): Promise<Answer> {
    // No two events of the run get the same time.
    await setTimeout(3);
    return body === undefined
      ? this.#service.ask(method, path, asked)
      : this.#service.send(method, path, body, asked);
  }

  /**
   * Returns the recorded examples, made reproducible: the times of the run become minutes of one
   * morning, and random values become constants.
   */
  toJson(): string {
    const { versions, errors } = this;
    const text = withoutChance(JSON.stringify({ versions, errors }, undefined, 2));
    const isOfRun = (time: string) => Math.abs(Date.parse(time) - this.#begun) < 60_000;
    const all = new Set(text.match(TIME)?.filter(isOfRun));
    const inOrder = [...all].sort();
    return `${text}\n`.replaceAll(TIME, (time) => {
      const minute = 29 + inOrder.indexOf(time);
      return all.has(time) ? `2026-03-02T09:${minute}:00.000Z` : time;
    });
  }
}

/** Replaces the ids of the store, the key and the commands, which differ in each run. */
function withoutChance(text: string): string {
  const commands = [...new Set(text.match(UUID))];
  return text
    .replaceAll(/(\/store-orders\/)[0-9a-f]+/g, '$1fb4b0e07caf02b8d')
    .replaceAll(/(\\"by\\":\\"|\{\\"id\\":\\")\w{10}(?=\\")/g, '$1k0Aa1Bb2Cc')
    .replaceAll(
      UUID,
      (id) => `07b09690-dd7c-4e1c-a270-${String(commands.indexOf(id)).padStart(12, '0')}`,
    );
}

test('The examples in the description equal the responses of the service', async () => {
  await using service = await Service.start();
  await using beside = new Beside(service.databaseFile);
  const run = new Recording(service);

  await run.note('placeOrder', 'withoutDate', 'POST', V1, { petId: 7, quantity: 1 });
  await run.note('placeOrder', 'withDate', 'POST', V1, {
    petId: 12,
    quantity: 3,
    shipDate: '2026-03-04T10:00:00+01:00',
  });
  await run.note('shipOrder', 'shipped', 'PUT', `${V1}/2/shipment`, SHIPMENT);
  await run.silently('DELETE', `${V1}/1`);
  await beside.place([{ id: 9_007_199_254_740_993n, petId: 7n, quantity: 2 }]);
  await run.note('getOrder', 'pending', 'GET', `${V1}/9007199254740993`);
  await run.note('getOrder', 'shipped', 'GET', `${V1}/2`);
  await run.note('listOrders', 'three', 'GET', V1);
  await run.note('getPet', 'ordered', 'GET', '/v1/pets/7');

  await run.note('listOrderEvents', 'cancelled', 'GET', `${V1}/1/events`);
  await run.note('listEvents', 'twoOfFive', 'GET', '/v1/store/events?after=3&limit=2');

  await run.note('getOrder', 'shipped', 'GET', `${V2}/2`);
  await run.note('getOrder', 'cancelled', 'GET', `${V2}/1`);
  await run.note('listOrders', 'firstOfTwoPages', 'GET', `${V2}?limit=2`);
  await run.note('listOrders', 'cancelled', 'GET', `${V2}?status=cancelled`);
  await run.note('listOrders', 'asOfPosition2', 'GET', `${V2}?asOf=2`);
  await run.note('placeOrder', 'withoutDate', 'POST', V2, { petId: '7', quantity: 1 });
  await run.note('shipOrder', 'shipped', 'PUT', `${V2}/9007199254740994/shipment`, SHIPMENT);

  const cancellation = { reason: 'out_of_stock' };
  await run.note('placeOrder', 'withoutDate', 'POST', V2, { petId: '7', quantity: 1 });
  const path = `${V2}/9007199254740995/cancellation`;
  await run.note('cancelOrderWithReason', 'outOfStock', 'PUT', path, cancellation);
  await run.note('getSummary', 'now', 'GET', '/v2/store/summary');
  await run.note('getSummary', 'asOfPosition2', 'GET', '/v2/store/summary?asOf=2');
  const days = 'from=2026-02-28T12:00:00Z&to=2026-03-02T00:00:00Z';
  await run.note('getActivity', 'twoQuietDays', 'GET', `/v2/store/activity?${days}`);
  await run.note('listOrderEvents', 'cancelledWithReason', 'GET', `${V2}/9007199254740995/events`);

  const orders = [
    { petId: '7', quantity: 1 },
    { petId: '12', quantity: 3, ...SHIPMENT },
  ];
  await run.note('batchPlaceOrders', 'two', 'POST', `${V2}:batchPlace`, { orders });
  const orderIds = ['9007199254740996', '2', '4711'];
  const batch = { orderIds, reason: 'out_of_stock' };
  await run.note('batchCancelOrders', 'oneOfThree', 'POST', `${V2}:batchCancel`, batch);
  await run.refusal('POST', `${V2}:batchCancel`, {
    orderIds: ['9007199254740997', '2'],
    atomic: true,
  });

  await run.note('getKey', 'unlimited', 'GET', '/v2/key');

  await run.refusal('GET', V1, undefined, { headers: { Authorization: '' } });
  await run.refusal('GET', V1, undefined, { headers: bearer(await beside.addKey([])) });
  await run.refusal('POST', V1, { petId: 7, quantity: 0 });
  await run.refusal('DELETE', `${V1}/4711`);
  await run.refusal('DELETE', `${V1}/2`);
  await run.refusal('PUT', `${V1}/1/shipment`, SHIPMENT);
  await run.refusal('GET', '/v1/pets/8');
  await run.refusal('POST', V1, ' '.repeat(16_385));
  await run.refusal('POST', V1, '', { headers: { 'Content-Type': 'text/plain' } });
  await run.refusal('GET', V1, undefined, { headers: { 'X-Large': 'x'.repeat(16_384) } });

  await expect(run.toJson()).toMatchFileSnapshot('../../../src/http/description/examples.json');
});
