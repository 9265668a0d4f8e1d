import { expect, test } from 'vitest';
import { Limit } from '../../../src/client/limit.ts';

test('The limit of a signal that has aborted before is aborted from the start', () => {
  const limit = new Limit(AbortSignal.abort());
  expect(limit.signal.aborted).toBe(true);
  expect(limit.isAborted).toBe(true);
  expect(limit.isTimedOut).toBe(false);
});
