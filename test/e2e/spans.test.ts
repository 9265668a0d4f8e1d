import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { TRACEPARENT } from '../support/events.ts';
import { placeOrder } from '../support/one-service.ts';
import { Service } from '../support/service.ts';

const SDK = resolve('test/support/programs/spans.ts');
const [, TRACE_ID, PARENT_ID] = TRACEPARENT.split('-');

it('An SDK of OpenTelemetry gets the spans of a cancellation, below that of its client', async () => {
  await using service = await Service.start({ NODE_OPTIONS: `--import=${SDK}` });
  const id = await placeOrder(service);
  const path = `/v1/store/orders/${id}`;
  const headers = { traceparent: TRACEPARENT };
  const answer = await service.ask('DELETE', path, { headers });
  expect(answer.status).toBe(204);
  // The client's decision not to sample a trace is followed.
  await service.ask('DELETE', path, { headers: { traceparent: TRACEPARENT.replace(/1$/, '0') } });
  await service.ask('GET', path);
  const spans = await service.program.until(({ log }) => {
    const made = log.filter(({ msg }) => msg === 'span');
    return made.some(({ name }) => name === 'GET /v1/store/orders/:orderId') ? made : undefined;
  });
  const ofTrace = spans.filter(({ traceId }) => traceId === TRACE_ID);
  expect(ofTrace.map(({ name }) => name)).toEqual([
    'queue',
    'commit',
    'DELETE /v1/store/orders/:orderId',
  ]);
  expect(ofTrace.at(-1)).toMatchObject({
    parent: PARENT_ID,
    status: 0,
    attributes: {
      'http.request.method': 'DELETE',
      'http.response.status_code': 204,
      'http.route': '/v1/store/orders/:orderId',
      'url.path': path,
      'store_orders.request_id': answer.headers['x-request-id'],
    },
  });
});
