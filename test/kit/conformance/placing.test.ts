import { expect, test } from 'vitest';
import { promises } from './placing.ts';
import type { Trial } from './trial.ts';

/** Runs the check of the Location of a new order on one answer. */
async function checkLocation(text: string, location: string): Promise<void> {
  const headers: Readonly<Record<string, string>> = {
    'content-type': 'application/json',
    location,
  };
  const answer = { status: 201, text, header: (name: string) => headers[name] ?? '' };
  const client = { baseUrl: 'http://127.0.0.1:1/v1', ask: async () => answer };
  const [check] = promises;
  expect(check?.name).toBe('a new order is a 201 with its Location, which is that of its id');
  await check?.run({ api: { client } } as unknown as Trial);
}

const NEGATIVE = '{"id":-9007199254740993,"petId":7}';

test.each([
  ['a negative one', NEGATIVE, '/v1/store/orders/-9007199254740993'],
  ['one after line breaks', '{"id"\t:\n 17}', '/v1/store/orders/17'],
  ['one behind that of its pet', '{"pet":{"id":7},"id":17}', '/v1/store/orders/17'],
  ['one beside other names', '{"x":"\\"id\\":7","id":17}', 'http://127.0.0.1:1/v1/store/orders/17'],
])('the id of a new order is read exactly: %s', async (_, text, location) => {
  await checkLocation(text, location);
});

test.each([
  ['another sign', NEGATIVE, '/v1/store/orders/9007199254740993'],
  ['another last digit', NEGATIVE, '/v1/store/orders/-9007199254740992'],
  ['the id of the pet', '{"pet":{"id":7},"id":17}', '/v1/store/orders/7'],
  ['an id that the body lacks', '{}', '/v1/store/orders/7'],
])('a Location is refused that has %s', async (_, text, location) => {
  await expect(checkLocation(text, location)).rejects.toThrow('the Location of order ');
});
