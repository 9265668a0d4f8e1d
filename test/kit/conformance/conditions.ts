import { FEW_DATES } from '../arbitraries.ts';
import type { Answer } from '../targets/api-client.ts';
import { checkError, listIn, told } from '../targets/orders-api.ts';
import { freshPet, placePending } from './orders.ts';
import { type Check, must, SERVICE_WRITES, type Trial } from './trial.ts';

/** Checks of ETags and of the requests that name them: promises of this service. */

const UNCHANGED = 'a list that has not changed since its ETag is a 304';
const CHANGED = 'a list that has changed since its ETag is no 304, and has another ETag';
const ONE = 'one order is a 304 for its ETag until it changes, and not afterwards';
const IF_MATCH = 'a command whose If-Match does not name the order as it is is a 412';
const ANYWAY =
  'a command that is refused in any case, or repeats a cancellation, is answered as without an If-Match';
const UNREAD = 'a condition that an operation does not read is a 400, and nothing is done';

const [DATE, OTHER_DATE] = FEW_DATES;
const LIST = '/store/orders';

/** Matches an ETag (RFC 9110, section 8.8.3). */
const ETAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;
/** An ETag that no order has. */
const STRANGE = '"conformance-has-made-this-up"';
/** The number of times that a list is tried which may change meanwhile. */
const ATTEMPTS = 10;

export const conditions: readonly Check[] = [
  {
    name: UNCHANGED,
    group: 'list',
    basis: 'promise',
    needs: SERVICE_WRITES,
    async run(trial) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const first = await ask(trial, LIST);
        const tag = tagOf(first, UNCHANGED);
        const again = await ask(trial, LIST, tag);
        if (again.status === 304) return undefined;
        const isChanged = again.status === 200 && again.header('etag') !== tag;
        must(isChanged, UNCHANGED, `it is ${told(again)}`);
        // Other clients have changed it meanwhile.
        if (again.text !== first.text) return undefined;
      }
      must(false, UNCHANGED, `the same list had another ETag each of ${ATTEMPTS} times`);
      return undefined;
    },
  },
  {
    name: CHANGED,
    group: 'list',
    basis: 'promise',
    needs: SERVICE_WRITES,
    async run(trial) {
      // A compressed list is another form, with an ETag that may be its own.
      for (const more of [{}, { 'accept-encoding': 'gzip' }]) await changeList(trial, more);
      return undefined;
    },
  },
  {
    name: ONE,
    group: 'list',
    basis: 'promise',
    needs: [...SERVICE_WRITES, 'to get one order'],
    async run(trial) {
      const [id, cancelled] = [await placePending(trial), await placePending(trial)];
      const path = `${LIST}/${id}`;
      const tag = tagOf(await ask(trial, path), ONE);
      const again = await ask(trial, path, tag);
      must(again.status === 304, ONE, `the unchanged order is ${told(again)}`);
      for (const form of [...listsWith(tag), weak(tag), '*']) {
        const answer = await ask(trial, path, form);
        must(answer.status === 304, ONE, `for ${form} the unchanged order is ${told(answer)}`);
      }
      await trial.api.ship(id, DATE);
      const shipped = await ask(trial, path, tag);
      checkChange(shipped, tag, ONE, 'after its shipment it');
      const stays = async (path: string, tag: string, what: string) => {
        const unchanged = await ask(trial, path, tag);
        must(unchanged.status === 304, ONE, `after ${what} it is ${told(unchanged)}`);
      };
      await trial.api.cancel(id);
      await stays(path, tagOf(shipped, ONE), 'a refused cancellation');
      await trial.api.ship(id, DATE);
      await stays(path, tagOf(shipped, ONE), 'a repeated shipment');
      // Version 1 shows no cancellation, but a command with the ETag from before has to be refused.
      const other = `${LIST}/${cancelled}`;
      const before = tagOf(await ask(trial, other), ONE);
      await trial.api.cancel(cancelled);
      const ended = await ask(trial, other, before);
      checkChange(ended, before, ONE, 'after its cancellation it');
      await trial.api.cancel(cancelled);
      await stays(other, tagOf(ended, ONE), 'a repeated cancellation');
      return undefined;
    },
  },
  {
    name: IF_MATCH,
    group: 'errors',
    basis: 'promise',
    needs: [...SERVICE_WRITES, 'to get one order'],
    run: checkIfMatch,
  },
  {
    name: ANYWAY,
    group: 'errors',
    basis: 'promise',
    needs: [...SERVICE_WRITES, 'to get one order'],
    run: checkAnyway,
  },
  {
    name: UNREAD,
    group: 'errors',
    basis: 'promise',
    needs: SERVICE_WRITES,
    async run(trial) {
      const [id, petId] = [await placePending(trial), freshPet()];
      const body = `{"petId":${petId},"quantity":1}`;
      for (const [method, path, asked] of [
        ['POST', LIST, { body, headers: { 'if-match': STRANGE } }],
        ['POST', LIST, { body, headers: { 'if-none-match': '*' } }],
        ['DELETE', `${LIST}/${id}`, { headers: { 'if-none-match': STRANGE } }],
      ] as const) {
        const answer = await trial.api.client.ask(method, path, asked);
        const [condition] = Object.keys(asked.headers);
        must(answer.status === 400, UNREAD, `${method} with ${condition} is ${told(answer)}`);
        checkError(answer, 400, 'invalid_request');
      }
      const placed = (await trial.api.list()).find((order) => order.petId === petId);
      must(placed === undefined, UNREAD, `order ${placed?.id} was placed, whatever was answered`);
      const shipped = await trial.api.ship(id, DATE);
      must(typeof shipped !== 'string', UNREAD, `order ${id} does not ship: ${shipped}`);
      return undefined;
    },
  },
];

/** Changes the list, and asks for it with its ETag from before. */
async function changeList(trial: Trial, more: Headers): Promise<void> {
  const before = tagOf(await ask(trial, LIST, undefined, more), CHANGED);
  const id = await placePending(trial);
  const placed = await ask(trial, LIST, before, more);
  checkChange(placed, before, CHANGED, 'after another order it');
  await trial.api.ship(id, DATE);
  const tag = tagOf(placed, CHANGED);
  const shipped = await ask(trial, LIST, tag, more);
  checkChange(shipped, tag, CHANGED, 'after a shipment it');
  const row = listIn(shipped).find((order) => order.id === id);
  must(row?.complete === true, CHANGED, `the order ${id} that has shipped is not in it as such`);
}

/** Sends commands with the ETag that the order has, had, and never had. */
async function checkIfMatch(trial: Trial): Promise<undefined> {
  const { client } = trial.api;
  const [shipped, cancelled] = [await placePending(trial), await placePending(trial)];
  const [listed, any] = [await placePending(trial), await placePending(trial)];
  const cancel = (id: bigint, tag: string) => {
    return client.ask('DELETE', `${LIST}/${id}`, { headers: { 'if-match': tag } });
  };
  const ship = (id: bigint, date: string, tag: string) => {
    return trial.api.askToShip(id, date, { 'if-match': tag });
  };
  const refuse = (answer: Answer, what: string) => {
    must(answer.status === 412, IF_MATCH, `${what} is ${told(answer)}`);
    checkError(answer, 412, 'precondition_failed');
  };
  const accept = (answer: Answer, status: number, what: string) => {
    must(
      answer.status === status,
      IF_MATCH,
      `${what} with the ETag of the order is ${told(answer)}`,
    );
  };
  for (const id of [shipped, cancelled]) {
    refuse(await cancel(id, STRANGE), 'a cancellation with another ETag');
    refuse(await ship(id, OTHER_DATE, STRANGE), 'a shipment with another ETag');
  }
  const tag = tagOf(await ask(trial, `${LIST}/${shipped}`), IF_MATCH);
  refuse(await cancel(shipped, weak(tag)), 'a cancellation with the ETag as a weak one');
  accept(await ship(shipped, DATE, tag), 200, 'a shipment');
  refuse(await ship(shipped, DATE, tag), 'a shipment with the ETag from before the shipment');
  const other = tagOf(await ask(trial, `${LIST}/${cancelled}`), IF_MATCH);
  accept(await cancel(cancelled, other), 204, 'a cancellation');
  const [last = ''] = listsWith(tagOf(await ask(trial, `${LIST}/${listed}`), IF_MATCH));
  accept(await cancel(listed, last), 204, 'a cancellation that has others beside it');
  must((await cancel(any, '*')).status === 204, IF_MATCH, 'a cancellation with * is refused');
  return undefined;
}

/** Sends commands with an ETag that their orders do not have, and whose answer does not depend on it. */
async function checkAnyway(trial: Trial): Promise<undefined> {
  const [shipped, cancelled] = [await placePending(trial), await placePending(trial)];
  const before = tagOf(await ask(trial, `${LIST}/${cancelled}`), ANYWAY);
  await trial.api.ship(shipped, DATE);
  await trial.api.cancel(cancelled);
  const cancel = (id: bigint, tag: string) => {
    return trial.api.client.ask('DELETE', `${LIST}/${id}`, { headers: { 'if-match': tag } });
  };
  const ship = (id: bigint, date: string) => {
    return trial.api.askToShip(id, date, { 'if-match': STRANGE });
  };
  const absent = -shipped - 10n;
  for (const [what, answer, status, code] of [
    [
      'cancellation of a shipped order',
      await cancel(shipped, STRANGE),
      409,
      'order_already_shipped',
    ],
    ['shipment on another date', await ship(shipped, OTHER_DATE), 409, 'order_already_shipped'],
    ['shipment of a cancelled order', await ship(cancelled, DATE), 409, 'order_cancelled'],
    ['cancellation of an absent order', await cancel(absent, STRANGE), 404, 'order_not_found'],
    ['shipment of an absent order', await ship(absent, DATE), 404, 'order_not_found'],
  ] as const) {
    must(answer.status === status, ANYWAY, `with another ETag the ${what} is ${told(answer)}`);
    checkError(answer, status, code);
  }
  const again = await cancel(cancelled, before);
  const what = 'with the ETag from before it, a repeated cancellation';
  must(again.status === 204, ANYWAY, `${what} is ${told(again)}`);
  return undefined;
}

type Headers = Readonly<Record<string, string>>;

function ask({ api }: Trial, path: string, tag?: string, more: Headers = {}): Promise<Answer> {
  const condition = tag === undefined ? {} : { 'if-none-match': tag };
  return api.client.ask('GET', path, { headers: { ...condition, ...more } });
}

/** Returns lists that have an ETag among others, as RFC 9110, section 5.6.1, lets clients write them. */
function listsWith(tag: string): readonly string[] {
  return [`${STRANGE}, ${tag}`, `${tag},${STRANGE}`, `${STRANGE} ,\t${tag}`];
}

/** Returns an ETag as a weak one, which If-None-Match takes for the same, and If-Match does not. */
function weak(tag: string): string {
  return tag.startsWith('W/') ? tag : `W/${tag}`;
}

/** Returns the ETag of a response; throws a violation if it has none. */
function tagOf(answer: Answer, rule: string): string {
  const tag = answer.header('etag');
  must(ETAG.test(tag), rule, tag === '' ? 'there is no ETag' : `the ETag is ${tag}`);
  return tag;
}

function checkChange(answer: Answer, before: string, rule: string, what: string): void {
  must(answer.status === 200, rule, `${what} is ${told(answer)}`);
  must(answer.header('etag') !== before, rule, `${what} has the same ETag, ${before}`);
}
