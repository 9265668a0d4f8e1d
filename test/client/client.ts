import createClient from 'openapi-fetch';
import type { paths as V1 } from './generated/v1.d.ts';
import type { components, paths as V2 } from './generated/v2.d.ts';

/**
 * What a client of the API may write with types made from the descriptions. It prints what it has
 * seen, as JSON; the test that runs it knows what that should be.
 */

const [address = '', key = ''] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${key}` };
const v1 = createClient<V1>({ baseUrl: `${address}/v1`, headers });
// The list is CSV as well, for clients that ask for it.
const v2 = createClient<V2, 'application/json'>({ baseUrl: `${address}/v2`, headers });

type Order = components['schemas']['Order'];

const placed = await v2.POST('/store/orders', { body: { petId: '7', quantity: 2 } });
if (placed.data === undefined) throw new Error(placed.error.message);
const order: Order = placed.data;
const path = { orderId: order.id };
// Version 1 has ids as numbers.
const pathV1 = { orderId: Number(order.id) };

const shipped = await v2.PUT('/store/orders/{orderId}/shipment', {
  params: { path },
  body: { shipDate: '2026-01-02T00:00:00Z' },
});
const cancelled = await v1.DELETE('/store/orders/{orderId}', { params: { path: pathV1 } });

// An error is an Error whose codes are known: a switch over them can be checked for completeness.
function remedyFor(code: NonNullable<typeof cancelled.error>['code']): string {
  switch (code) {
    case 'order_already_shipped':
      return 'too late';
    case 'order_not_found':
      return 'another id';
    case 'precondition_failed':
      return 'get the order and look again';
    case 'idempotency_key_reused':
      return 'a new key';
    case 'invalid_request':
    case 'unauthorized':
    case 'insufficient_scope':
      return 'mend the request';
    case 'internal_error':
    case 'rate_limited':
    case 'service_unavailable':
    case 'outcome_unknown':
      return 'try again';
  }
}

async function* everyOrder(status: Order['status']): AsyncGenerator<Order> {
  for (let after: string | undefined; ; ) {
    const query = { status, limit: 1, ...(after === undefined ? {} : { after }) };
    const { data, error } = await v2.GET('/store/orders', { params: { query } });
    if (data === undefined) throw new Error(error.code);
    yield* data.data;
    if (data.next === null) return;
    after = data.next;
  }
}

await v2.POST('/store/orders', { body: { petId: '8', quantity: 1 } });
await v2.POST('/store/orders', { body: { petId: '9', quantity: 1 } });
const pending: string[] = [];
for await (const { petId } of everyOrder('pending')) pending.push(petId);

const all = await v1.GET('/store/orders');
const early = await v2.GET('/store/orders', { params: { query: { asOf: '1' } } });
const wrong = await v1.GET('/store/orders', { headers: { Authorization: 'Bearer wrong' } });

process.stdout.write(
  JSON.stringify({
    shipped: shipped.data?.status,
    remedy: cancelled.error && remedyFor(cancelled.error.code),
    pending,
    all: all.data?.length,
    early: [early.data?.asOf, early.data?.data.map(({ status }) => status)],
    wrong: wrong.error?.code,
  }),
);

// Mistakes that the types have to find; the compiler complains where one of these is none.
// @ts-expect-error: a quantity is a number.
await v1.POST('/store/orders', { body: { petId: 7, quantity: '2' } }).catch(() => undefined);
// @ts-expect-error: in version 2, an id is a string.
await v2.POST('/store/orders', { body: { petId: 7, quantity: 2 } }).catch(() => undefined);
// @ts-expect-error: version 1 has no filters.
await v1.GET('/store/orders', { params: { query: { status: 'pending' } } });
// @ts-expect-error: there is no such status.
await v2.GET('/store/orders', { params: { query: { status: 'lost' } } });
// @ts-expect-error: there is no such path.
await v2.GET('/pets/{petId}', { params: { path: { petId: 7 } } });
