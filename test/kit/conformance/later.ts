import { Violation } from '../aggregate/violation.ts';
import { FEW_DATES } from '../arbitraries.ts';
import { bodyOf, told } from '../targets/orders-api.ts';
import { requireOnce, requireSorted } from './list.ts';
import { freshPet } from './orders.ts';
import { type Check, must, scriptOf, several, some, type Trial } from './trial.ts';

const MANY = 'the list has every order, however many there are';
const EACH = 'every pending order can be cancelled and shipped, however many there are';
const STILL = 'after a pause every order is as it was';
const LATE_CANCEL = 'a shipped order cannot be cancelled after a pause either';
const LATE_PENDING = 'a pending order can be cancelled and shipped after a pause, too';

const [DATE] = FEW_DATES;

/** The number of requests at once. */
const AT_ONCE = 16;
/** The number of orders that are cancelled or shipped after the pause, of each kind. */
const SOME = 5;
/** The number of newest orders that are left pending, so that those changed after the pause are. */
const KEPT_PENDING = 2 * SOME + AT_ONCE;
/** The largest number of shipped orders whose cancellation is tried once more. */
const MAX_TRIED_AGAIN = 300;

/** Checks of everything that was placed, at the end. They run in this order. */
export const later: readonly Check[] = [
  {
    name: MANY,
    group: 'later',
    basis: 'contract',
    needs: ['to write', 'to place'],
    async run(trial) {
      const { api, ledger, orders, lacking } = trial;
      const missing = Math.max(2 * SOME, orders - ledger.ids.length);
      const petId = freshPet();
      await several(missing, AT_ONCE, async (index) => {
        const { id } = await api.place({ petId, quantity: 1 });
        if (missing - index <= KEPT_PENDING) return ledger.keep(id);
        if (index % 3 === 1) requireDone(trial, id, 'cancellation', await api.cancel(id));
        else if (index % 3 === 2 && !lacking.has('to ship')) {
          requireDone(trial, id, 'shipment', await api.ship(id, DATE));
        }
      });
      const listed = await api.list();
      const [newest] = ledger.ids.slice(-1);
      const script = scriptOf(manyInShell(trial, newest as bigint));
      requireOnce(listed, script);
      if (!trial.isContractOnly) requireSorted(listed, script);
      const known = new Set(listed.map(({ id }) => id));
      const lost = ledger.ids.filter((id) => !known.has(id));
      const [first] = lost;
      if (first === undefined) return undefined;
      const detail = `of ${ledger.ids.length} orders that were placed, ${lost.length} are not in it, the first is ${first}`;
      throw new Violation(MANY, detail, scriptOf(manyInShell(trial, first)));
    },
  },
  {
    name: STILL,
    group: 'later',
    basis: 'contract',
    needs: ['to write', 'to place'],
    async run(trial) {
      await trial.api.client.pause(trial.pauseMs);
      await compareAll(trial, STILL, (id) => pausedInShell(trial, id));
      return undefined;
    },
  },
  {
    name: LATE_CANCEL,
    group: 'later',
    basis: 'contract',
    needs: ['to write', 'to place', 'to ship'],
    async run(trial) {
      const { api, ledger } = trial;
      const shipped = some(ledger.shipped, 'no order has shipped').slice(0, MAX_TRIED_AGAIN);
      await several(shipped.length, AT_ONCE, async (index) => {
        const id = shipped[index] as bigint;
        const answer = await api.client.ask('DELETE', `/store/orders/${id}`);
        must(
          answer.status === 409,
          LATE_CANCEL,
          `for order ${id} it is ${told(answer)}`,
          scriptOf(lateInShell(trial, id)),
        );
      });
      await compareAll(trial, LATE_CANCEL, (id) => lateInShell(trial, id));
      return undefined;
    },
  },
  {
    name: LATE_PENDING,
    group: 'later',
    basis: 'contract',
    needs: ['to write', 'to place'],
    async run(trial) {
      const { api, ledger, lacking } = trial;
      const newest = some(ledger.kept, 'no order was left pending').slice(-2 * SOME);
      for (const id of newest.slice(0, SOME)) {
        const refusal = await api.cancel(id);
        const script = scriptOf(pendingInShell(trial, id, CANCEL));
        must(refusal === undefined, LATE_PENDING, `the cancellation of ${id}: ${refusal}`, script);
      }
      for (const id of lacking.has('to ship') ? [] : newest.slice(SOME)) {
        const shipped = await api.ship(id, DATE);
        const script = scriptOf(pendingInShell(trial, id, shipInShell(DATE)));
        must(
          typeof shipped !== 'string',
          LATE_PENDING,
          `the shipment of ${id}: ${shipped}`,
          script,
        );
      }
      return undefined;
    },
  },
];

/** Throws a Violation if a command to a pending order was refused. */
function requireDone(trial: Trial, id: bigint, what: string, answer: unknown): void {
  // The contract does not define the shipment.
  if (typeof answer !== 'string' || (what === 'shipment' && trial.isContractOnly)) return;
  const script = scriptOf(manyInShell(trial, id));
  must(false, EACH, `the ${what} of order ${id}, which is pending: ${answer}`, script);
}

async function compareAll(
  trial: Trial,
  rule: string,
  linesOf: (id: bigint) => readonly string[],
): Promise<void> {
  const { api, ledger, isContractOnly } = trial;
  const rows = new Map((await api.list()).map((order) => [order.id, order]));
  const wrong = some(ledger.ids, 'no order was placed').flatMap((id) => {
    const detail = ledger.differenceIn(id, rows.get(id), isContractOnly);
    return detail === undefined ? [] : { id, detail };
  });
  const [first] = wrong;
  if (first === undefined) return;
  const more = wrong.length > 1 ? `, and ${wrong.length - 1} more` : '';
  throw new Violation(rule, `${first.detail}${more}`, scriptOf(linesOf(first.id)));
}

const CANCEL = 'orders -w \'%{http_code}\\n\' -X DELETE "$BASE/store/orders/$A"';
const LIST = 'orders "$BASE/store/orders"';

function shipInShell(date: string): string {
  return `orders -X PUT "$BASE/store/orders/$A/shipment" -d '{"shipDate":"${date}"}'`;
}

/** Returns what places an order with the data of another one, and what ships it as that one has. */
function ofOrder({ ledger }: Trial, id: bigint) {
  const { placed, shipDate = DATE } = ledger.given(id);
  return { place: `$(placed '${bodyOf(placed)}')`, ship: shipInShell(shipDate) };
}

function manyInShell(trial: Trial, id: bigint): readonly string[] {
  const { place, ship } = ofOrder(trial, id);
  return [
    '# A third of them is pending, a third shipped, a third cancelled.',
    `for order in $(seq ${trial.ledger.ids.length}); do`,
    `  A=${place}; echo $A`,
    '  case $((order % 3)) in',
    `    1) ${CANCEL} >&2;;`,
    `    2) ${ship} >&2;;`,
    '  esac',
    'done > placed.txt 2> changed.txt',
    `${LIST} | tr -d '\\t\\r\\n' | grep -o '"id" *: *-\\{0,1\\}[0-9]*' | grep -o '[-0-9]*$' > listed.txt`,
    '# The orders that are not in the list:',
    'grep -vxFf listed.txt placed.txt',
    '# Those that are there twice, and the first that comes after a higher one:',
    'sort listed.txt | uniq -d',
    'sort -nc listed.txt 2>&1 | head -n 1',
    '# The statuses of the cancellations, and the errors:',
    "grep -x '[0-9]\\{3\\}' changed.txt | sort | uniq -c",
    'grep \'"code"\' changed.txt | sort | uniq -c',
  ];
}

function sleepInShell({ pauseMs }: Trial): string {
  return `sleep ${pauseMs / 1_000}`;
}

function pausedInShell(trial: Trial, id: bigint): readonly string[] {
  const { place, ship } = ofOrder(trial, id);
  return [
    '# Of 120 new orders, a third is pending, a third shipped, a third cancelled.',
    'for order in $(seq 40); do',
    `  A=${place}; echo $A`,
    `  A=${place}; echo $A; ${ship} > shipped.txt`,
    `  A=${place}; echo $A; ${CANCEL} > cancelled.txt`,
    'done > placed.txt',
    LIST,
    sleepInShell(trial),
    LIST,
  ];
}

function lateInShell(trial: Trial, id: bigint): readonly string[] {
  const { place, ship } = ofOrder(trial, id);
  return [`A=${place}`, ship, sleepInShell(trial), `for n in $(seq 20); do ${CANCEL}; done`, LIST];
}

function pendingInShell(trial: Trial, id: bigint, command: string): readonly string[] {
  const { place } = ofOrder(trial, id);
  return [`A=${place}`, sleepInShell(trial), command];
}
