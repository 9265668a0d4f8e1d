import fc from 'fast-check';
import { checkError } from '../targets/orders-api.ts';
import { absentIds, placePending } from './orders.ts';
import { type Check, forAll, must } from './trial.ts';

const WITHOUT = 'a request without a key is a 401';
const INVALID = 'a request with a key that is not valid is a 401';
const CHANGES_NOTHING = 'a cancellation without a key is a 401 and changes nothing';
const BEFORE_ALL_ELSE = 'without a key, a 401 comes before a 404';
const REVOKED = 'a request with a revoked key is a 401';

export const authentication: readonly Check[] = [
  {
    name: WITHOUT,
    group: 'authentication',
    basis: 'contract',
    needs: [],
    async run({ api }) {
      const answer = await api.client.ask('GET', '/store/orders', { authorization: null });
      must(answer.status === 401, WITHOUT, `it is a ${answer.status}`);
      checkError(answer, 401, 'unauthorized');
      return undefined;
    },
  },
  {
    name: INVALID,
    group: 'authentication',
    basis: 'contract',
    needs: [],
    run(trial) {
      return forAll(trial, notTheKey(trial.key), 40, async ({ authorization, what }) => {
        const answer = await trial.api.client.ask('GET', '/store/orders', { authorization });
        must(answer.status === 401, INVALID, `${what}: it is a ${answer.status}`);
        checkError(answer, 401, 'unauthorized');
      });
    },
  },
  {
    name: REVOKED,
    group: 'authentication',
    basis: 'contract',
    needs: ['a revoked key'],
    async run({ api, revokedKey }) {
      const authorization = `Bearer ${revokedKey}`;
      const answer = await api.client.ask('GET', '/store/orders', { authorization });
      must(answer.status === 401, REVOKED, `it is a ${answer.status}`);
      checkError(answer, 401, 'unauthorized');
      return undefined;
    },
  },
  {
    name: BEFORE_ALL_ELSE,
    group: 'authentication',
    basis: 'contract',
    needs: ['to write'],
    async run(trial) {
      return forAll(trial, fc.constantFrom(...(await absentIds(trial))), 20, async (id) => {
        const path = `/store/orders/${id}`;
        const answer = await trial.api.client.ask('DELETE', path, { authorization: null });
        must(answer.status === 401, BEFORE_ALL_ELSE, `for order ${id} it is a ${answer.status}`);
        checkError(answer, 401, 'unauthorized');
      });
    },
  },
  {
    name: CHANGES_NOTHING,
    group: 'authentication',
    basis: 'contract',
    needs: ['to write', 'to place', 'to ship'],
    async run(trial) {
      const { api } = trial;
      const id = await placePending(trial);
      const answer = await api.client.ask('DELETE', `/store/orders/${id}`, { authorization: null });
      must(answer.status === 401, CHANGES_NOTHING, `it is a ${answer.status}`);
      // If it had been cancelled, it could not be shipped.
      const shipped = await api.ship(id, '2026-01-01T00:00:00.000Z');
      must(typeof shipped !== 'string', CHANGES_NOTHING, `order ${id} does not ship: ${shipped}`);
      return undefined;
    },
  },
];

/** Draws invalid keys, with descriptions that do not disclose the real key in a report. */
function notTheKey(key: string) {
  const position = fc.nat({ max: key.length - 1 });
  return fc.oneof(
    fc.stringMatching(/^[\w.~+/-]{1,80}$/).map((text) => {
      return { authorization: `Bearer ${text}`, what: `Bearer ${text}` };
    }),
    position.map((at) => {
      const other = key[at] === 'A' ? 'B' : 'A';
      const changed = key.slice(0, at) + other + key.slice(at + 1);
      return {
        authorization: `Bearer ${changed}`,
        what: `the key with character ${at + 1} changed`,
      };
    }),
    position.map((length) => {
      const text = length === 0 ? 'Bearer' : `Bearer ${key.slice(0, length)}`;
      return { authorization: text, what: `the first ${length} characters of the key` };
    }),
    fc.constantFrom(
      { authorization: key, what: 'the key without "Bearer"' },
      { authorization: `Bearer ${key}${key}`, what: 'the key twice in a row' },
      { authorization: `Basic ${btoa(`key:${key}`)}`, what: 'the key as a password' },
    ),
  );
}
