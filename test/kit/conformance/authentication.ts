import fc from 'fast-check';
import { type Attempt, attemptsOf, check401, respelledKeys, similarKeys } from './attempts.ts';
import { absentIds, freshPet, placePending } from './orders.ts';
import { type Check, forAll, must } from './trial.ts';

const WITHOUT = 'a request without a key is a 401';
const INVALID = 'a request with a key that is not valid is a 401';
const CHANGES_NOTHING = 'a cancellation without a valid key is a 401 and changes nothing';
const EVERYWHERE = 'placing, getting and shipping need a valid key, too';
const BEFORE_ALL_ELSE = 'without a key, a 401 comes before a 404';
const REVOKED = 'a request with a revoked key is a 401';

/** The number of attempts, the likeliest ones, for the operations that the contract does not have. */
const FEW_ATTEMPTS = 8;

export const authentication: readonly Check[] = [
  {
    name: WITHOUT,
    group: 'authentication',
    basis: 'contract',
    needs: [],
    async run({ api }) {
      const answer = await api.client.ask('GET', '/store/orders', { authorization: null });
      check401(answer, WITHOUT, 'it');
      return undefined;
    },
  },
  {
    name: INVALID,
    group: 'authentication',
    basis: 'contract',
    needs: [],
    async run(trial) {
      const rule = async ({ what, asked }: Attempt) => {
        check401(await trial.api.client.ask('GET', '/store/orders', asked), INVALID, what);
      };
      for (const attempt of attemptsOf(trial.key)) await rule(attempt);
      return forAll(trial, similarKeys(trial.key), 12, rule);
    },
  },
  {
    name: REVOKED,
    group: 'authentication',
    basis: 'contract',
    needs: ['a revoked key'],
    async run({ api, revokedKey = '' }) {
      const authorization = { value: `Bearer ${revokedKey}`, shell: 'Bearer $REVOKED_KEY' };
      const answer = await api.client.ask('GET', '/store/orders', { authorization });
      check401(answer, REVOKED, 'it');
      // A server may refuse it as it was issued, and yet admit it in another spelling.
      for (const { what, asked } of respelledKeys(revokedKey, 'REVOKED_KEY')) {
        check401(await api.client.ask('GET', '/store/orders', asked), REVOKED, what);
      }
      return undefined;
    },
  },
  {
    name: BEFORE_ALL_ELSE,
    group: 'authentication',
    basis: 'contract',
    needs: ['to write'],
    async run(trial) {
      const attempts = attemptsOf(trial.key).slice(0, 2);
      const ids = fc.constantFrom(...(await absentIds(trial)));
      return forAll(trial, fc.tuple(ids, fc.constantFrom(...attempts)), 8, async ([id, tried]) => {
        const answer = await trial.api.client.ask('DELETE', `/store/orders/${id}`, tried.asked);
        check401(answer, BEFORE_ALL_ELSE, `${tried.what}, for order ${id}:`);
      });
    },
  },
  {
    name: CHANGES_NOTHING,
    group: 'authentication',
    basis: 'contract',
    needs: ['to write', 'to place'],
    async run(trial) {
      const { client } = trial.api;
      const id = await placePending(trial);
      for (const { what, asked } of attemptsOf(trial.key)) {
        const answer = await client.ask('DELETE', `/store/orders/${id}`, asked);
        check401(answer, CHANGES_NOTHING, what);
      }
      // If it had been cancelled, it could not be shipped.
      if (trial.lacking.has('to ship')) return undefined;
      const shipped = await trial.api.ship(id, '2026-01-01T00:00:00.000Z');
      must(typeof shipped !== 'string', CHANGES_NOTHING, `order ${id} does not ship: ${shipped}`);
      return undefined;
    },
  },
  {
    name: EVERYWHERE,
    group: 'authentication',
    basis: 'contract',
    needs: ['to write', 'to place', 'to ship', 'the operations placeOrder and shipOrder'],
    async run(trial) {
      const id = await placePending(trial);
      const petId = freshPet();
      for (const { what, asked } of attemptsOf(trial.key).slice(0, FEW_ATTEMPTS)) {
        for (const [method, path, body] of [
          ['POST', '/store/orders', `{"petId":${petId},"quantity":1}`],
          ['PUT', `/store/orders/${id}/shipment`, '{"shipDate":"2026-01-01T00:00:00.000Z"}'],
          ['GET', `/store/orders/${id}`],
        ] as const) {
          if (method === 'GET' && trial.lacking.has('to get one order')) continue;
          const answer = await trial.api.client.ask(method, path, {
            ...asked,
            ...(body && { body }),
          });
          check401(answer, EVERYWHERE, `${method} with ${what}`);
        }
      }
      for (const order of await trial.api.list()) {
        must(
          order.petId !== petId,
          EVERYWHERE,
          `order ${order.id} was placed, whatever was answered`,
        );
        must(order.id !== id || !order.complete, EVERYWHERE, `order ${id} was shipped`);
      }
      return undefined;
    },
  },
];
