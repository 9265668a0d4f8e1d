import fc from 'fast-check';
import { CLOSE_DATES, FEW_DATES, instants, plainPlacings } from '../arbitraries.ts';
import { brokenOrderRule } from '../oracle/list-rules.ts';
import { checkError, told } from '../targets/orders-api.ts';
import { listed, placePending } from './orders.ts';
import { type Check, forAll, must, SERVICE_WRITES, scriptOf } from './trial.ts';

const CANCELLED = 'the cancellation of a pending order is a 204 without a body';
const AGAIN = 'a second cancellation is a 204, too';
const SHIPPED = 'the cancellation of a shipped order is a 409';
const STILL_SHIPPED = 'a refused cancellation changes nothing';
const ALONE = 'a cancellation cancels that order alone';
const NOT_SHIPPED = 'a cancelled order does not ship';
const SHIPPED_AGAIN = 'a shipment reported again is a 200 on the same date, and a 409 on another';

const [DATE, OTHER_DATE] = FEW_DATES;
const WRITES = ['to write', 'to place'] as const;
const SHIPS = ['to write', 'to place', 'to ship'] as const;

/** The number of times that the cancellation of each shipped order is tried. */
const EACH_TRIED = 30;
/** The number of shipped orders with any data whose cancellation is tried. */
const DRAWN = 50;

/** An order, and the date on which it ships. */
const shippedOrders = fc.record({ placing: plainPlacings, shipDate: instants });

/** The cancellations of one order, up to the 20th. */
const TIMES = [
  ...['first', 'second', 'third'],
  ...Array.from({ length: 17 }, (_, index) => `${index + 4}th`),
];

export const commands: readonly Check[] = [
  {
    name: CANCELLED,
    group: 'cancel',
    basis: 'contract',
    needs: WRITES,
    run(trial) {
      return forAll(trial, plainPlacings, 30, async (placing) => {
        const { id } = await trial.api.place(placing);
        const answer = await trial.api.client.ask('DELETE', `/store/orders/${id}`);
        must(answer.status === 204 && answer.text === '', CANCELLED, `it is ${told(answer)}`);
      });
    },
  },
  {
    name: AGAIN,
    group: 'cancel',
    basis: 'promise',
    needs: WRITES,
    async run(trial) {
      const id = await placePending(trial);
      for (const time of TIMES) {
        const answer = await trial.api.client.ask('DELETE', `/store/orders/${id}`);
        must(answer.status === 204, AGAIN, `the ${time} one is ${told(answer)}`);
      }
      return undefined;
    },
  },
  {
    name: SHIPPED,
    group: 'cancel',
    basis: 'contract',
    needs: SHIPS,
    async run(trial) {
      for (let tried = 0; tried < trial.attempts; tried += EACH_TRIED) {
        const id = await placePending(trial);
        await trial.api.ship(id, DATE);
        for (let time = 1; time <= EACH_TRIED; time++) {
          const answer = await trial.api.client.ask('DELETE', `/store/orders/${id}`);
          const number = tried + time;
          const script = scriptOf(attemptsInShell(trial.attempts));
          const detail = `attempt ${number} is ${told(answer)}`;
          must(answer.status === 409, SHIPPED, detail, number === 1 ? undefined : script);
        }
      }
      // Whatever was ordered, and whenever it has shipped.
      return forAll(trial, shippedOrders, DRAWN, async ({ placing, shipDate }) => {
        const { id } = await trial.api.place(placing);
        await trial.api.ship(id, shipDate);
        const answer = await trial.api.client.ask('DELETE', `/store/orders/${id}`);
        must(answer.status === 409, SHIPPED, `it is ${told(answer)}`);
      });
    },
  },
  {
    name: STILL_SHIPPED,
    group: 'cancel',
    basis: 'contract',
    needs: SHIPS,
    async run(trial) {
      const id = await placePending(trial);
      await trial.api.ship(id, DATE);
      const before = await listed(trial, id, STILL_SHIPPED);
      await trial.api.client.ask('DELETE', `/store/orders/${id}`);
      const broken = brokenOrderRule(await listed(trial, id, STILL_SHIPPED), before);
      must(broken === undefined, STILL_SHIPPED, `${broken?.detail}`);
      return undefined;
    },
  },
  {
    name: ALONE,
    group: 'cancel',
    basis: 'contract',
    needs: SHIPS,
    async run(trial) {
      const ids: bigint[] = [];
      for (let order = 0; order < 3; order++) ids.push(await placePending(trial));
      const [before, cancelled, after] = ids as [bigint, bigint, bigint];
      await trial.api.cancel(cancelled);
      for (const id of [before, after]) {
        const shipped = await trial.api.ship(id, DATE);
        const detail = `order ${id} does not ship after the cancellation of ${cancelled}: ${shipped}`;
        must(typeof shipped !== 'string', ALONE, detail);
      }
      return undefined;
    },
  },
  {
    name: NOT_SHIPPED,
    group: 'ship',
    basis: 'promise',
    needs: SERVICE_WRITES,
    async run(trial) {
      const id = await placePending(trial);
      await trial.api.cancel(id);
      const answer = await trial.api.askToShip(id, DATE);
      must(answer.status === 409, NOT_SHIPPED, `it is ${told(answer)}`);
      checkError(answer, 409, 'order_cancelled');
      return undefined;
    },
  },
  {
    name: SHIPPED_AGAIN,
    group: 'ship',
    basis: 'promise',
    needs: SERVICE_WRITES,
    async run(trial) {
      const id = await placePending(trial);
      for (const [date, status] of [
        [DATE, 200],
        [DATE, 200],
        ...[OTHER_DATE, ...CLOSE_DATES].map((other) => [other, 409] as const),
      ] as const) {
        const answer = await trial.api.askToShip(id, date);
        must(answer.status === status, SHIPPED_AGAIN, `on ${date} it is ${told(answer)}`);
      }
      return undefined;
    },
  },
];

/** Returns the same number of attempts as lines for a shell. */
function attemptsInShell(attempts: number): readonly string[] {
  return [
    `n=0; while [ $n -lt ${attempts} ]; do`,
    `  if [ $((n % ${EACH_TRIED})) = 0 ]; then`,
    '    A=$(placed \'{"petId":7,"quantity":1}\')',
    `    orders -o /dev/null -X PUT "$BASE/store/orders/$A/shipment" -d '{"shipDate":"${DATE}"}'`,
    '  fi',
    '  orders -o /dev/null -w "attempt $((n += 1)) is a %{http_code}\\n" -X DELETE "$BASE/store/orders/$A"',
    "done | grep -v 'a 409'",
  ];
}
