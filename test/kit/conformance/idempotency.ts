import { FEW_DATES } from '../arbitraries.ts';
import { type Answer, idIn } from '../targets/api-client.ts';
import { checkError, told } from '../targets/orders-api.ts';
import { freshPet } from './orders.ts';
import { repeatedInShell, UNDER_ONE_KEY } from './races-in-shell.ts';
import {
  type Check,
  must,
  type NamedRequest,
  SERVICE_WRITES,
  scriptOf,
  several,
  type Trial,
} from './trial.ts';

const REPEATED =
  'a request repeated under its Idempotency-Key gets the first answer, and changes nothing';
const REUSED = 'another request under the same Idempotency-Key is a 422, and changes nothing';
const TWO_KEYS = 'Idempotency-Keys that differ in case, or at the end, are two keys';
const AT_ONCE = 'requests at once under one Idempotency-Key are carried out once, with one answer';
const MANY = 'no Idempotency-Key is forgotten, however many there are';
const LATER = 'an Idempotency-Key is not forgotten after a pause either';

/** The longest key that this service accepts, in characters. */
const LONGEST_KEY = 255;
/** The number of races under one key each, and of the requests in each. */
const [RACES, RACERS] = [10, 6];
/** The number of requests under keys of their own that are sent at once. */
const SENT_AT_ONCE = 8;

/** The headers that a repeated request is compared by. */
const COMPARED_HEADERS = ['location', 'etag'] as const;

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
      requireSame(placed, await placeAs(trial, key, petId), REPEATED, 'the repeated placement');
      const ship = () => shipAs(trial, `${key}-ship`, idIn(placed) as bigint);
      requireSame(await ship(), await ship(), REPEATED, 'the repeated shipment');
      const late = 'the placement that is repeated after the shipment';
      requireSame(placed, await placeAs(trial, key, petId), REPEATED, late);
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
  {
    name: AT_ONCE,
    group: 'place',
    basis: 'promise',
    needs: SERVICE_WRITES,
    async run(trial) {
      const script = scriptOf(UNDER_ONE_KEY);
      const placedBy = new Map<bigint, bigint>();
      for (let race = 0; race < RACES; race++) {
        const [petId, key] = [freshPet(), freshKey()];
        const racers = Array.from({ length: RACERS }, () => placeAs(trial, key, petId));
        const [first, ...others] = (await Promise.all(racers)) as [Answer, ...Answer[]];
        must(first.status === 201, AT_ONCE, `one of them is ${told(first)}`, script);
        for (const other of others) requireSame(first, other, AT_ONCE, 'another one', script);
        placedBy.set(petId, idIn(first) as bigint);
      }
      for (const { id, petId } of await trial.api.list()) {
        const answered = placedBy.get(petId) ?? id;
        const detail = `order ${id} was placed beside order ${answered}, which was answered`;
        must(answered === id, AT_ONCE, detail, script);
      }
      return undefined;
    },
  },
  {
    name: MANY,
    group: 'place',
    basis: 'promise',
    needs: SERVICE_WRITES,
    async run(trial) {
      const { api, named, attempts } = trial;
      const sent: NamedRequest[] = [];
      await several(attempts, SENT_AT_ONCE, async (index) => {
        const request = { key: freshKey(), petId: freshPet() };
        const answer = await placeAs(trial, request.key, request.petId);
        must(answer.status === 201, MANY, `a placement is ${told(answer)}`);
        sent.push({ ...request, answer });
        const id = idIn(answer) as bigint;
        if (index % 3 === 1) await api.cancel(id);
        else if (index % 3 === 2) await api.ship(id, FEW_DATES[0]);
      });
      await repeatAll(trial, sent, MANY, 0);
      named.push(...sent);
      return undefined;
    },
  },
];

/** The check that repeats the requests of another one after the pause. */
export const idempotencyLater: Check = {
  name: LATER,
  group: 'later',
  basis: 'promise',
  needs: SERVICE_WRITES,
  async run(trial) {
    await repeatAll(trial, trial.named, LATER, trial.pauseMs / 1_000);
    return undefined;
  },
};

async function repeatAll(
  trial: Trial,
  requests: readonly NamedRequest[],
  rule: string,
  pauseSeconds: number,
): Promise<void> {
  const script = scriptOf(repeatedInShell(requests.length, pauseSeconds));
  await several(requests.length, SENT_AT_ONCE, async (index) => {
    const { key, petId, answer } = requests[index] as NamedRequest;
    const what = `placement ${index + 1} of ${requests.length} repeated`;
    requireSame(answer, await placeAs(trial, key, petId), rule, what, script);
  });
}

function placeAs({ api }: Trial, key: string, petId: bigint): Promise<Answer> {
  const asked = { body: `{"petId":${petId},"quantity":1}`, headers: named(key) };
  return api.client.ask('POST', '/store/orders', asked);
}

function shipAs({ api }: Trial, key: string, id: bigint): Promise<Answer> {
  return api.askToShip(id, FEW_DATES[0], named(key));
}

function named(key: string): Readonly<Record<string, string>> {
  return { 'idempotency-key': key };
}

function freshKey(): string {
  return `conformance-${freshPet()}`;
}

function requireSame(
  first: Answer,
  again: Answer,
  rule: string,
  what: string,
  script?: string,
): void {
  const isSame = again.status === first.status && again.text === first.text;
  must(isSame, rule, `${what} is ${told(again)}, and the first one was ${told(first)}`, script);
  for (const name of COMPARED_HEADERS) {
    const [one, other] = [first.header(name) || 'none', again.header(name) || 'none'];
    must(one === other, rule, `${what} has the ${name} ${other}, and the first one ${one}`, script);
  }
}

/** Returns the ids of the orders for an animal. */
async function idsFor({ api }: Trial, petId: bigint): Promise<readonly bigint[]> {
  return (await api.list()).flatMap((order) => (order.petId === petId ? order.id : []));
}
