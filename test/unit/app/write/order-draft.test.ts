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

/** Changes a draft, and does not keep the changes. Returns the id that a new order would have had. */
function changeInVain(draft: OrderDraft, change: () => void): OrderId {
  let next: OrderId | undefined;
  const isKept = draft.keepIf(() => {
    change();
    next = draft.nextOrderId();
    return false;
  });
  expect(isKept).toBe(false);
  return next as OrderId;
}

it('goes back to what it was, as often as one likes', () => {
  const draft = new OrderDraft(new OrderImage());
  const evolve = ({ event }: RecordedEvent) =>
    draft.evolve(id, order.evolve(draft.state(id), event));
  const next = changeInVain(draft, () => {
    evolve(first);
    evolve(second);
  });
  expect([draft.version(id), draft.state(id).status]).toStrictEqual([0, 'none']);
  expect(draft.nextOrderId()).not.toBe(next);

  evolve(first);
  changeInVain(draft, () => evolve(second));
  expect([draft.version(id), draft.state(id).status]).toStrictEqual([1, 'pending']);
  expect(draft.nextOrderId()).toBe(next);
});

it('keeps changes, and whatever follows them', () => {
  const draft = new OrderDraft(new OrderImage());
  const evolve = ({ event }: RecordedEvent) =>
    draft.evolve(id, order.evolve(draft.state(id), event));
  expect(
    draft.keepIf(() => {
      evolve(first);
      return true;
    }),
  ).toBe(true);
  evolve(second);
  expect(draft.version(id)).toBe(2);
  changeInVain(draft, () => undefined);
  expect(draft.version(id)).toBe(2);
});

it('undoes the changes of what throws', () => {
  const draft = new OrderDraft(new OrderImage());
  const change = () => {
    draft.evolve(id, order.evolve(draft.state(id), first.event));
    throw new Error('in the middle');
  };
  expect(() => draft.keepIf(change)).toThrow('in the middle');
  expect([draft.version(id), draft.state(id).status]).toStrictEqual([0, 'none']);
});
