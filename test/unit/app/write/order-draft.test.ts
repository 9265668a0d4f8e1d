import { expect, it } from 'vitest';
import type { RecordedEvent } from '../../../../src/app/log/recorded-event.ts';
import { OrderImage } from '../../../../src/app/state/order-image.ts';
import { OrderDraft } from '../../../../src/app/write/order-draft.ts';
import { order } from '../../../../src/domain/order.ts';
import { MAX_INT64, type OrderId } from '../../../../src/domain/order-id.ts';
import { cancelled, placed, recorded } from '../../../support/events.ts';

const [first, second] = recorded(placed(1n), cancelled(1n)) as [RecordedEvent, RecordedEvent];
const id = 1n as OrderId;

it.each([
  ['above that of every order', undefined, 2n],
  ['above those that were assigned before', { above: 7n, top: MAX_INT64 }, 8n],
  ['the highest free one where none is above', { above: MAX_INT64, top: 9n }, 9n],
])('an id for a new order is %s', (_, range, id) => {
  const image = new OrderImage();
  image.fold(first);
  expect(new OrderDraft(image, range).nextOrderId()).toBe(id);
});

it('holds the decisions on an order until they are recorded', () => {
  const image = new OrderImage();
  const draft = new OrderDraft(image);
  draft.evolve(id, order.evolve(draft.state(id), first.event));
  draft.evolve(id, order.evolve(draft.state(id), second.event));
  image.fold(first);
  draft.forget([first]);
  expect([draft.version(id), draft.state(id).status]).toStrictEqual([2, 'cancelled']);
  image.fold(second);
  draft.forget([second]);
  // What there is now is the image's.
  expect([draft.version(id), draft.state(id)]).toStrictEqual([2, image.state(id)]);
  draft.evolve(id, order.initial);
  draft.forget([{ ...second, version: 3 }]);
  expect([draft.version(id), draft.state(id)]).toStrictEqual([2, image.state(id)]);
});

it('goes back to what it was, as often as one likes', () => {
  const image = new OrderImage();
  const draft = new OrderDraft(image);
  const undo = draft.savepoint();
  draft.evolve(id, order.evolve(draft.state(id), first.event));
  const undoSecond = draft.savepoint();
  draft.evolve(id, order.evolve(draft.state(id), second.event));
  undoSecond();
  expect([draft.version(id), draft.state(id).status]).toStrictEqual([1, 'pending']);
  const next = draft.nextOrderId();
  undo();
  expect([draft.version(id), draft.state(id).status]).toStrictEqual([0, 'none']);
  expect(draft.nextOrderId()).not.toBe(next);
});
