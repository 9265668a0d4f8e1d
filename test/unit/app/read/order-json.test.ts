import { describe, expect, it } from 'vitest';
import { CSV_HEADER, orderToCsv } from '../../../../src/app/read/order-csv.ts';
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
  cancelReason: undefined,
};
const SHIPPED: OrderDetails = { ...PENDING, shipDate: NOON, status: 'shipped', shippedAt: LATER };
const CANCELLED: OrderDetails = { ...PENDING, status: 'cancelled', cancelledAt: LATER };
const DUPLICATE: OrderDetails = { ...CANCELLED, cancelReason: 'duplicate' };

const IDS = '"id":9223372036854775807,"petId":-9223372036854775808';
const IDS_V2 = '"id":"9223372036854775807","petId":"-9223372036854775808"';

describe('an order in JSON', () => {
  it.each([
    ['pending', PENDING, '"quantity":3,"complete":false'],
    ['shipped', SHIPPED, `"quantity":3,"shipDate":"${NOON}","complete":true`],
    ['cancelled', CANCELLED, '"quantity":3,"complete":false'],
    ['cancelled for a reason', DUPLICATE, '"quantity":3,"complete":false'],
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
    [
      'cancelled for a reason',
      DUPLICATE,
      `"complete":false,"status":"cancelled","placedAt":"${NOON}","cancelledAt":"${LATER}","cancelReason":"duplicate"`,
    ],
  ])('has in version 2 ids as strings, and the time of what has happened: %s', (_, order, rest) => {
    expect(orderToJsonV2(order)).toBe(`{${IDS_V2},"quantity":3,${rest}}`);
  });
});

/** With every member, so that a new one must be given here, too. */
const WHOLE: { readonly [Name in keyof OrderDetails]: NonNullable<OrderDetails[Name]> } = {
  ...PENDING,
  shipDate: NOON,
  shippedAt: LATER,
  cancelledAt: LATER,
  cancelReason: 'duplicate',
};

describe('an order in CSV', () => {
  it('has the members that JSON has in version 2, in their order', () => {
    const members = Object.keys(JSON.parse(orderToJsonV2(WHOLE)));
    expect(CSV_HEADER).toBe(`${members.join(',')}\r\n`);
  });

  it('has the columns of version 2', () => {
    expect(CSV_HEADER).toBe(
      'id,petId,quantity,shipDate,complete,status,placedAt,shippedAt,cancelledAt,cancelReason\r\n',
    );
  });

  it.each([
    ['pending', PENDING, `,false,pending,${NOON},,,`],
    ['shipped', SHIPPED, `${NOON},true,shipped,${NOON},${LATER},,`],
    ['cancelled', CANCELLED, `,false,cancelled,${NOON},,${LATER},`],
    ['cancelled for a reason', DUPLICATE, `,false,cancelled,${NOON},,${LATER},duplicate`],
  ])('is a line without quotes: %s', (_, order, rest) => {
    const line = `9223372036854775807,-9223372036854775808,3,${rest}\r\n`;
    expect(orderToCsv(order)).toBe(line);
  });
});
