import { expect, it } from 'vitest';
import { StoreUnavailable } from '../../../src/app/ports/store.ts';

it('a store that cannot be asked says why', () => {
  const cause = new Error('the network is down');
  const error = new StoreUnavailable(cause);
  expect(error).toMatchObject({ name: 'StoreUnavailable', message: 'the network is down', cause });
});
