import { FEW_DATES } from '../arbitraries.ts';
import { type Answer, idIn } from '../targets/api-client.ts';
import { checkError, told } from '../targets/orders-api.ts';
import { freshPet } from './orders.ts';
import { type Check, must, SERVICE_WRITES, type Trial } from './trial.ts';

const REPEATED =
  'a request repeated under its Idempotency-Key gets the first answer, and changes nothing';
const REUSED = 'another request under the same Idempotency-Key is a 422, and changes nothing';
const TWO_KEYS = 'Idempotency-Keys that differ in case, or at the end, are two keys';

/** The longest key that this service accepts, in characters. */
const LONGEST_KEY = 255;

/** Checks of the names under which a client repeats a request: a promise of this service. */
export const idempotency: readonly Check[] = [
  {
    name: REPEATED,
    group: 'place',
    basis: 'promise',
    needs: SERVICE_WRITES,
    async run(trial) {
      const [petId, key] = [freshPet(), freshKey()];
      const placed = await placeAs(trial, key, petId);
      must(placed.status === 201, REPEATED, `the first placement is ${told(placed)}`);
      requireSame(placed, await placeAs(trial, key, petId), 'the repeated placement');
      const id = idIn(placed);
      const ship = () => {
        const asked = { body: `{"shipDate":"${FEW_DATES[0]}"}`, headers: named(`${key}-ship`) };
        return trial.api.client.ask('PUT', `/store/orders/${id}/shipment`, asked);
      };
      requireSame(await ship(), await ship(), 'the repeated shipment');
      const ids = await idsFor(trial, petId);
      must(ids.length === 1, REPEATED, `it has placed ${ids.length} orders: ${ids.join(', ')}`);
      return undefined;
    },
  },
  {
    name: REUSED,
    group: 'place',
    basis: 'promise',
    needs: SERVICE_WRITES,
    async run(trial) {
      const [petId, otherPetId, key] = [freshPet(), freshPet(), freshKey()];
      const placed = await placeAs(trial, key, petId);
      must(placed.status === 201, REUSED, `the first request is ${told(placed)}`);
      const answer = await placeAs(trial, key, otherPetId);
      must(answer.status === 422, REUSED, `it is ${told(answer)}`);
      checkError(answer, 422, 'idempotency_key_reused');
      const [id] = await idsFor(trial, otherPetId);
      must(id === undefined, REUSED, `order ${id} was placed, whatever was answered`);
      return undefined;
    },
  },
  {
    name: TWO_KEYS,
    group: 'place',
    basis: 'promise',
    needs: SERVICE_WRITES,
    async run(trial) {
      const petId = freshPet();
      const start = freshKey().padEnd(LONGEST_KEY - 1, '-');
      const owners = new Map<bigint | undefined, string>();
      for (const key of [`${start}a`, `${start}A`, `${start}b`]) {
        const placed = await placeAs(trial, key, petId);
        must(placed.status === 201, TWO_KEYS, `under ${key} it is ${told(placed)}`);
        const other = owners.get(idIn(placed));
        must(other === undefined, TWO_KEYS, `${key} gets the answer of ${other}`);
        owners.set(idIn(placed), key);
      }
      return undefined;
    },
  },
];

function placeAs({ api }: Trial, key: string, petId: bigint): Promise<Answer> {
  const asked = { body: `{"petId":${petId},"quantity":1}`, headers: named(key) };
  return api.client.ask('POST', '/store/orders', asked);
}

function named(key: string): Readonly<Record<string, string>> {
  return { 'idempotency-key': key };
}

function freshKey(): string {
  return `conformance-${freshPet()}`;
}

function requireSame(first: Answer, again: Answer, what: string): void {
  const isSame = again.status === first.status && again.text === first.text;
  must(isSame, REPEATED, `${what} is ${told(again)}, and the first one was ${told(first)}`);
}

/** Returns the ids of the orders for an animal. */
async function idsFor({ api }: Trial, petId: bigint): Promise<readonly bigint[]> {
  return (await api.list()).flatMap((order) => (order.petId === petId ? order.id : []));
}
