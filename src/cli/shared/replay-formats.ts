/** The formats in which a replayed list is written. */

import { CSV_HEADER, orderToCsv } from '../../app/read/order-csv.ts';
import { orderToJson, orderToJsonV2 } from '../../app/read/order-json.ts';
import type { OrderDetails, OrderList } from '../../app/state/order-list.ts';

export const FORMATS = ['json', 'ndjson', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

/** The form in which a list is written: the text of an order, and the texts around them. */
interface Notation {
  readonly opening: string;
  readonly between: string;
  readonly closing: string;
  toText(order: OrderDetails): string;
}

const NOTATIONS: Readonly<Record<Format, Notation>> = {
  /** To the byte what version 1 answers. */
  json: { opening: '[', between: ',', closing: ']', toText: orderToJson },
  /** Orders as version 2 shows them. */
  ndjson: { opening: '', between: '', closing: '', toText: (order) => `${orderToJsonV2(order)}\n` },
  csv: { opening: CSV_HEADER, between: '', closing: '', toText: orderToCsv },
};

/** The text of a whole list, a page at a time. */
export function* listText(list: OrderList<unknown>, format: Format): Generator<string> {
  const { opening, between, closing, toText } = NOTATIONS[format];
  let before = opening;
  for (const slots of list.slotsBeyond(undefined, 'asc')) {
    yield before + Array.from(slots, (slot) => toText(list.details(slot))).join(between);
    before = between;
  }
  yield (list.size === 0 ? opening : '') + closing;
}
