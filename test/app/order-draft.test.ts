import { expect, it } from 'vitest';
import { OrderDraft } from '../../src/app/order-draft.ts';
import { OrderImage } from '../../src/app/order-image.ts';
import type { RecordedEvent } from '../../src/app/recorded-event.ts';
import { order } from '../../src/domain/order.ts';
import type { OrderId } from '../../src/domain/order-id.ts';
import { cancelled, placed, recorded } from '../support/events.ts';

const [first, second] = recorded(placed(1n), cancelled(1n)) as [RecordedEvent, RecordedEvent];
const id = 1n as OrderId;

it('keeps what it was told of an order until as much is recorded, and no longer', () => {
  const image = new OrderImage();
  const draft = new OrderDraft(image);
  draft.evolve(id, order.evolve(draft.state(id), first.event));
  draft.evolve(id, order.evolve(draft.state(id), second.event));
  image.fold(first);
  draft.settle([first]);
  expect([draft.version(id), draft.state(id).status]).toStrictEqual([2, 'cancelled']);
  image.fold(second);
  draft.settle([second]);
  // What there is now is the image's.
  expect([draft.version(id), draft.state(id)]).toStrictEqual([2, image.state(id)]);
  draft.evolve(id, order.initial);
  draft.settle([{ ...second, version: 3 }]);
  expect([draft.version(id), draft.state(id)]).toStrictEqual([2, image.state(id)]);
});
