import { FEW_DATES } from '../arbitraries.ts';
import { V2 } from '../spec/replay.ts';
import { type Answer, idIn } from '../targets/api-client.ts';
import { checkError, told, toldApart } from '../targets/orders-api.ts';
import { freshPet, listed, placePending } from './orders.ts';
import { repeatedInShell, UNDER_ONE_KEY } from './races-in-shell.ts';
import {
  type Check,
  must,
  type NamedRequest,
  SERVICE_WRITES,
  scriptOf,
  several,
  some,
  type Trial,
} from './trial.ts';

const REPEATED =
  'a request repeated under its Idempotency-Key gets the first answer, and changes nothing';
const REUSED = 'another request under the same Idempotency-Key is a 422, and changes nothing';
const REUSED_BY_BATCHES =
  'another batch under the same Idempotency-Key is a 422, and nothing of it is done';
const TWO_KEYS = 'Idempotency-Keys that differ in one character, or in length, are two keys';
const NO_KEY = 'an Idempotency-Key that is none is a 400, and nothing is done';
const AT_ONCE = 'requests at once under one Idempotency-Key are carried out once, with one answer';
const MANY = 'no Idempotency-Key is forgotten, however many there are';
const LATER = 'an Idempotency-Key is not forgotten after a pause either';

const [DATE, OTHER_DATE] = FEW_DATES;

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
      await repeatCancellation(trial);
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
      await reusePlacement(trial);
      await reuseChanges(trial);
      return undefined;
    },
  },
  {
    name: REUSED_BY_BATCHES,
    group: 'place',
    basis: 'promise',
    needs: [...SERVICE_WRITES, 'the batches of version 2'],
    run: reuseBatches,
  },
  {
    name: TWO_KEYS,
    group: 'place',
    basis: 'promise',
    needs: SERVICE_WRITES,
    async run(trial) {
      const petId = freshPet();
      const owners = new Map<bigint | undefined, string>();
      for (const key of similarNames(freshKey())) {
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
    name: NO_KEY,
    group: 'place',
    basis: 'promise',
    needs: SERVICE_WRITES,
    async run(trial) {
      const [petId, id] = [freshPet(), await placePending(trial)];
      for (const key of notNames(freshKey())) {
        for (const answer of [await placeAs(trial, key, petId), await cancelAs(trial, key, id)]) {
          must(
            answer.status === 400,
            NO_KEY,
            `under ${key || 'an empty one'} it is ${told(answer)}`,
          );
          checkError(answer, 400, 'invalid_request');
        }
      }
      const [other] = await idsFor(trial, petId);
      must(other === undefined, NO_KEY, `order ${other} was placed, whatever was answered`);
      await requirePending(trial, id, NO_KEY);
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
        const change = [undefined, () => api.cancel(id), () => api.ship(id, DATE)][index % 3];
        const refusal = await change?.();
        must(typeof refusal !== 'string', MANY, `order ${id} is pending, and yet ${refusal}`);
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
    const named = some(trial.named, 'no placement under a key was repeated well before the pause');
    await repeatAll(trial, named, LATER, trial.pauseMs / 1_000);
    return undefined;
  },
};

/** Cancels an order twice under one Idempotency-Key: it has to stay cancelled. */
async function repeatCancellation(trial: Trial): Promise<void> {
  const [id, key] = [await placePending(trial), freshKey()];
  const first = await cancelAs(trial, key, id);
  must(first.status === 204, REPEATED, `the first cancellation is ${told(first)}`);
  requireSame(first, await cancelAs(trial, key, id), REPEATED, 'the repeated cancellation');
  const shipped = await trial.api.askToShip(id, DATE);
  must(shipped.status === 409, REPEATED, `the shipment of the cancelled order is ${told(shipped)}`);
}

/** Sends a placement, and then others under its Idempotency-Key: each with another value. */
async function reusePlacement(trial: Trial): Promise<void> {
  const [petId, otherPetId, key] = [freshPet(), freshPet(), freshKey()];
  const place = (...[pet, quantity, date]: [bigint, number, string?]) => {
    const shipDate = date === undefined ? '' : `,"shipDate":"${date}"`;
    const body = `{"petId":${pet},"quantity":${quantity}${shipDate}}`;
    return trial.api.client.ask('POST', '/store/orders', { body, headers: named(key) });
  };
  const placed = await place(petId, 1, DATE);
  must(placed.status === 201, REUSED, `the first request is ${told(placed)}`);
  const id = idIn(placed) as bigint;
  refuse(await place(otherPetId, 1, DATE), REUSED, 'a placement for another animal');
  refuse(
    await place(petId + 1n, 1, DATE),
    REUSED,
    'a placement for an animal with another last digit',
  );
  refuse(await place(petId, 2, DATE), REUSED, 'a placement of another quantity');
  refuse(await place(petId, 1, OTHER_DATE), REUSED, 'a placement for another date');
  refuse(await place(petId, 1), REUSED, 'a placement without the date');
  refuse(await shipAs(trial, key, id), REUSED, 'a shipment of the order');
  refuse(await cancelAs(trial, key, id), REUSED, 'a cancellation of the order');
  const pets = [petId, petId + 1n, otherPetId];
  const ids = (await Promise.all(pets.map((pet) => idsFor(trial, pet)))).flat();
  const other = ids.find((each) => each !== id);
  must(other === undefined, REUSED, `order ${other} was placed, whatever was answered`);
  await requirePending(trial, id, REUSED);
}

/** Sends a shipment and a cancellation, and then others under their Idempotency-Keys. */
async function reuseChanges(trial: Trial): Promise<void> {
  const [shipped, cancelled] = [await placePending(trial), await placePending(trial)];
  const untouched = await placePending(trial);
  const [shipKey, cancelKey] = [freshKey(), freshKey()];
  const first = await shipAs(trial, shipKey, shipped);
  must(first.status === 200, REUSED, `the first shipment is ${told(first)}`);
  const onOtherDate = await shipAs(trial, shipKey, shipped, OTHER_DATE);
  refuse(onOtherDate, REUSED, 'a shipment on another date');
  refuse(await shipAs(trial, shipKey, untouched), REUSED, 'a shipment of another order');
  await reuseCondition(trial, shipKey, shipped);
  const done = await cancelAs(trial, cancelKey, cancelled);
  must(done.status === 204, REUSED, `the first cancellation is ${told(done)}`);
  refuse(await cancelAs(trial, cancelKey, untouched), REUSED, 'a cancellation of another order');
  refuse(
    await cancelAs(trial, shipKey, untouched),
    REUSED,
    'a cancellation in place of a shipment',
  );
  await requirePending(trial, untouched, REUSED);
}

/** Repeats a shipment and a cancellation under their Idempotency-Keys, with another If-Match each. */
async function reuseCondition(trial: Trial, shipKey: string, shipped: bigint): Promise<void> {
  const headers = { ...named(shipKey), 'if-match': '"conformance-another"' };
  const answer = await trial.api.askToShip(shipped, DATE, headers);
  refuse(answer, REUSED, 'the shipment with an If-Match');
  const [id, key] = [await placePending(trial), freshKey()];
  const cancel = (tag: string) => {
    const asked = { headers: { ...named(key), 'if-match': tag } };
    return trial.api.client.ask('DELETE', `/store/orders/${id}`, asked);
  };
  const stale = await cancel('"conformance-stale"');
  must(stale.status === 412, REUSED, `with a stale If-Match the cancellation is ${told(stale)}`);
  if (!trial.lacking.has('to get one order')) {
    // Whatever names no state of the order is one condition, and that of its present state another.
    const shown = await trial.api.client.ask('GET', `/store/orders/${id}`);
    refuse(await cancel(shown.header('etag')), REUSED, 'the cancellation with another If-Match');
  }
  refuse(await cancelAs(trial, key, id), REUSED, 'the cancellation without an If-Match');
  await requirePending(trial, id, REUSED);
}

/** Sends batches, and then others under their Idempotency-Keys: each with another value. */
async function reuseBatches(trial: Trial): Promise<undefined> {
  const [petId, placeKey, cancelKey] = [freshPet(), freshKey(), freshKey()];
  const ask = (kind: 'Place' | 'Cancel', key: string, body: string) => {
    const path = `${V2}/store/orders:batch${kind}`;
    return trial.api.client.ask('POST', path, { body, headers: named(key) });
  };
  const item = (quantity: number) => `{"petId":"${petId}","quantity":${quantity}}`;
  const placed = await ask('Place', placeKey, `{"orders":[${item(1)},${item(2)}]}`);
  must(placed.status === 200, REUSED_BY_BATCHES, `the first batch is ${told(placed)}`);
  for (const [what, body] of [
    ['with another order', `{"orders":[${item(1)},${item(3)}]}`],
    ['in another order', `{"orders":[${item(2)},${item(1)}]}`],
    ['with an order more', `{"orders":[${item(1)},${item(2)},${item(2)}]}`],
    ['with an order less', `{"orders":[${item(1)}]}`],
    ['that is atomic', `{"orders":[${item(1)},${item(2)}],"atomic":true}`],
  ] as const) {
    refuse(await ask('Place', placeKey, body), REUSED_BY_BATCHES, `a batch ${what}`);
  }
  const { length } = await idsFor(trial, petId);
  must(length === 2, REUSED_BY_BATCHES, `${length} orders were placed, and not 2`);
  const [id, untouched] = [await placePending(trial), await placePending(trial)];
  const first = await ask('Cancel', cancelKey, `{"orderIds":["${id}"]}`);
  must(first.status === 200, REUSED_BY_BATCHES, `the first batch is ${told(first)}`);
  const other = await ask('Cancel', cancelKey, `{"orderIds":["${untouched}"]}`);
  refuse(other, REUSED_BY_BATCHES, 'a cancellation of another order');
  await requirePending(trial, untouched, REUSED_BY_BATCHES);
  return undefined;
}

function refuse(answer: Answer, rule: string, what: string): void {
  must(answer.status === 422, rule, `${what} is ${told(answer)}`);
  checkError(answer, 422, 'idempotency_key_reused');
}

/** Ships an order, which only a pending one does. */
async function requirePending(trial: Trial, id: bigint, rule: string): Promise<void> {
  const { complete } = await listed(trial, id, rule);
  must(!complete, rule, `order ${id} was shipped, whatever was answered`);
  const shipped = await trial.api.askToShip(id, DATE);
  must(shipped.status === 200, rule, `order ${id} was cancelled, whatever was answered`);
}

/** Returns names that a careless comparison takes for one: trimmed, shortened, or in another case. */
function similarNames(name: string): readonly string[] {
  const longest = name.padEnd(LONGEST_KEY - 1, '-');
  const changes = [...'.,;:_-+=/0"\''].map((end) => `${name}${end}`);
  return [
    ...[name, `${name}..`, `.${name}`, `"${name}"`, `x${name.slice(1)}`, name.slice(0, -1)],
    ...changes,
    ...[`${longest}a`, `${longest}A`, `${longest}b`, longest, `x${longest.slice(1)}`],
  ];
}

/** Returns texts that are no names: too long, with a blank in them, and with a letter that is also written in other bytes. */
function notNames(name: string): readonly string[] {
  return [name.padEnd(LONGEST_KEY + 1, '-'), `${name} a`, `${name}\u00e9`];
}

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

function shipAs({ api }: Trial, key: string, id: bigint, date: string = DATE): Promise<Answer> {
  return api.askToShip(id, date, named(key));
}

function cancelAs({ api }: Trial, key: string, id: bigint): Promise<Answer> {
  return api.client.ask('DELETE', `/store/orders/${id}`, { headers: named(key) });
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
  if (again.status !== first.status || again.text !== first.text) {
    const [now, before] = toldApart(again, first);
    must(false, rule, `${what} is ${now}, and the first one was ${before}`, script);
  }
  for (const name of COMPARED_HEADERS) {
    const [one, other] = [first.header(name) || 'none', again.header(name) || 'none'];
    must(one === other, rule, `${what} has the ${name} ${other}, and the first one ${one}`, script);
  }
}

/** Returns the ids of the orders for an animal. */
async function idsFor({ api }: Trial, petId: bigint): Promise<readonly bigint[]> {
  return (await api.list()).flatMap((order) => (order.petId === petId ? order.id : []));
}
