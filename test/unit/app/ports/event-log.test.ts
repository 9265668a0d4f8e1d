import { expect, test } from 'vitest';
import { UnreadableEvent } from '../../../../src/app/ports/event-log.ts';

test('an event that cannot be read is told by name, with its position and the reason', () => {
  const error = new UnreadableEvent(7, 'its type is not known');
  expect(String(error)).toBe(
    'UnreadableEvent: event at position 7 cannot be read: its type is not known',
  );
  expect(error.position).toBe(7);
});
