import { expect, it } from 'vitest';
import { Frontier } from '../../../../src/app/log/merkle-tree.ts';
import { ImpossibleEvent } from '../../../../src/app/log/recorded-event.ts';
import { UnreadableEvent } from '../../../../src/app/ports/event-log.ts';
import {
  DamagedStore,
  isDamage,
  requireEdge,
  requireSameSize,
  StoreUnavailable,
} from '../../../../src/app/ports/store.ts';

it('an unavailable store gives the reason', () => {
  const cause = new Error('the network is down');
  const error = new StoreUnavailable(cause);
  expect(error).toMatchObject({ name: 'StoreUnavailable', message: 'the network is down', cause });
});

it('a damaged store is shown by its own name', () => {
  const error = new DamagedStore('event 3 was changed');
  expect(String(error)).toBe('DamagedStore: event 3 was changed');
  expect(error).toBeInstanceOf(StoreUnavailable);
});

it.each([
  [
    3,
    2,
    'the log has 3 events and its tree 2: the event at position 3 was not recorded by the service',
  ],
  [2, 4, 'the log has 2 events and its tree 4: the event at position 3 is missing'],
])('a log of %s events has a tree of as many, not of %s', (log, tree, message) => {
  requireSameSize(log, log);
  expect(() => requireSameSize(log, tree)).toThrow(new DamagedStore(message));
});

it('the edge of a tree is returned, and anything else is damage', () => {
  const edge = new Frontier().pack();
  expect(requireEdge(edge)).toBe(edge);
  expect(() => requireEdge(undefined)).toThrow(new DamagedStore('the log has no tree'));
  for (const other of [null, 5, 'an edge', Buffer.alloc(0), Buffer.alloc(9)]) {
    expect(() => requireEdge(other)).toThrow(new DamagedStore("the tree's right edge is damaged"));
  }
});

it.each([
  [true, new DamagedStore('event 3 was changed')],
  [true, new UnreadableEvent(3, 'its type is not known')],
  [true, new ImpossibleEvent(3, 'order 1 was placed twice')],
  [false, new StoreUnavailable(new Error('the network is down'))],
  [false, new Error('a mistake of ours')],
])('it is %s that damage is shown by: %s', (isOne, error) => {
  expect(isDamage(error)).toBe(isOne);
});
