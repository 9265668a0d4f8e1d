import { describe, expect, it } from 'vitest';
import { orderToJson, orderToJsonV2 } from '../../../../src/app/read/order-json.ts';
import type { OrderDetails } from '../../../../src/app/state/order-list.ts';
import type { OrderId, PetId } from '../../../../src/domain/order-id.ts';
import { LATER, NOON } from '../../../support/events.ts';

const PENDING: OrderDetails = {
  id: (2n ** 63n - 1n) as OrderId,
  petId: -(2n ** 63n) as PetId,
  quantity: 3,
  shipDate: undefined,
  status: 'pending',
  version: 1,
  placedAt: NOON,
  shippedAt: undefined,
  cancelledAt: undefined,
};
const SHIPPED: OrderDetails = { ...PENDING, shipDate: NOON, status: 'shipped', shippedAt: LATER };
const CANCELLED: OrderDetails = { ...PENDING, status: 'cancelled', cancelledAt: LATER };

const IDS = '"id":9223372036854775807,"petId":-9223372036854775808';
const IDS_V2 = '"id":"9223372036854775807","petId":"-9223372036854775808"';

describe('an order in JSON', () => {
  it.each([
    ['pending', PENDING, '"quantity":3,"complete":false'],
    ['shipped', SHIPPED, `"quantity":3,"shipDate":"${NOON}","complete":true`],
    ['cancelled', CANCELLED, '"quantity":3,"complete":false'],
  ])('is in version 1 its five properties, to the digit: %s', (_, order, rest) => {
    expect(orderToJson(order)).toBe(`{${IDS},${rest}}`);
  });

  it.each([
    ['pending', PENDING, `"complete":false,"status":"pending","placedAt":"${NOON}"`],
    [
      'shipped',
      SHIPPED,
      `"shipDate":"${NOON}","complete":true,"status":"shipped","placedAt":"${NOON}","shippedAt":"${LATER}"`,
    ],
    [
      'cancelled',
      CANCELLED,
      `"complete":false,"status":"cancelled","placedAt":"${NOON}","cancelledAt":"${LATER}"`,
    ],
  ])('has in version 2 ids as strings, and the time of what has happened: %s', (_, order, rest) => {
    expect(orderToJsonV2(order)).toBe(`{${IDS_V2},"quantity":3,${rest}}`);
  });
});
