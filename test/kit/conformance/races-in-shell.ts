import { FEW_DATES } from '../arbitraries.ts';
import type { History, Operation, Request } from '../history/history.ts';

/** Requests that overlap or are repeated, as lines for a shell. */

const [DATE, OTHER_DATE] = FEW_DATES;

/**
 * A shipment among cancellations, and one before a single cancellation: if that is answered and lost,
 * no other one cancels the order in its place.
 */
export const RACES_TO_THE_END = [
  ['cancel', 'ship', 'cancel', 'cancel'],
  ['ship', 'cancel'],
] as const;
export const SHIPMENTS = ['ship', 'later', 'ship', 'later'];

const REQUEST_IN_SHELL: Readonly<Record<string, string>> = {
  cancel: '-w \' %{http_code} cancel\\n\' -X DELETE "$BASE/store/orders/$A"',
  ship: `-w ' %{http_code} ship\\n' -X PUT "$BASE/store/orders/$A/shipment" -d '{"shipDate":"${DATE}"}'`,
  later: `-w ' %{http_code} ship later\\n' -X PUT "$BASE/store/orders/$A/shipment" -d '{"shipDate":"${OTHER_DATE}"}'`,
};

/** Returns a race as lines for a shell, which repeat it. */
export function raceInShell(kinds: readonly string[]): readonly string[] {
  return [
    'for race in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do',
    '  A=$(placed \'{"petId":7,"quantity":1}\'); echo "order $A"',
    ...kinds.map((kind) => `  orders -o /dev/null ${REQUEST_IN_SHELL[kind]} &`),
    '  wait',
    'done',
    'orders "$BASE/store/orders"',
  ];
}

export const PLACED_AT_ONCE = [
  'for order in $(seq 40); do placed \'{"petId":7,"quantity":1}\' & done | sort | uniq -c',
  'orders "$BASE/store/orders"',
];

const FRESH_KEY = 'K=script-$(date +%s)-$$';

/** Races of placements under one Idempotency-Key: each order should be printed as often. */
export const UNDER_ONE_KEY = [
  FRESH_KEY,
  'for race in $(seq 20); do',
  '  for n in 1 2 3 4 5 6; do',
  '    placed \'{"petId":7,"quantity":1}\' -H "Idempotency-Key: $K-$race" &',
  '  done',
  '  wait',
  'done | sort | uniq -c',
];

/** Returns placements under keys of their own, and their repetition after a pause. */
export function repeatedInShell(count: number, pauseSeconds: number): readonly string[] {
  return [
    FRESH_KEY,
    `all() { for n in $(seq ${count}); do`,
    '  orders -i "$BASE/store/orders" -d \'{"petId":7,"quantity":1}\' -H "Idempotency-Key: $K-$n"',
    'done | grep -i \'^http\\|^location\\|^etag\\|"id"\'; }',
    'all > first.txt',
    `sleep ${pauseSeconds}`,
    'all > again.txt',
    '# The answers that were not the first ones:',
    'diff first.txt again.txt',
  ];
}

/** Requests that are spread over a longer time do not race: then they are sent once. */
const MAX_RACE_SECONDS = 0.2;

/** Returns the requests of a history as lines for a shell, which send them as far apart. */
export function historyInShell(history: History): readonly string[] {
  const ids = [...new Set(history.flatMap(({ request }) => ('id' in request ? [request.id] : [])))];
  const names = new Map(ids.map((id, index) => [id, `$ORDER_${index}`]));
  // These orders are placed before.
  const others = history.filter(({ request, answer }) => {
    return request.kind !== 'place' || answer.kind !== 'accepted' || !names.has(answer.id);
  });
  const begun = Math.min(...history.map(({ invoked }) => invoked));
  const first = Math.min(...others.map(({ invoked }) => invoked));
  const span = (Math.max(...others.map(({ invoked }) => invoked)) - begun) / 1e9;
  const isRace = span < MAX_RACE_SECONDS;
  const after = ({ invoked }: Operation) => ((invoked - (isRace ? first : begun)) / 1e9).toFixed(3);
  return [
    `for round in $(seq ${isRace ? 50 : 1}); do`,
    ...ids.map((_, index) => `  ORDER_${index}=$(placed '{"petId":7,"quantity":1}')`),
    ...others.map((operation) => {
      return `  (sleep ${after(operation)}; ${inShell(operation.request, names)}) &`;
    }),
    '  wait',
    'done',
    'orders "$BASE/store/orders"',
  ];
}

function inShell(request: Request, names: ReadonlyMap<bigint | undefined, string>): string {
  const path = `"$BASE/store/orders/${'id' in request ? names.get(request.id) : ''}`;
  switch (request.kind) {
    case 'place':
      return `placed '{"petId":${request.petId},"quantity":${request.quantity}}'`;
    case 'ship':
      return `orders -X PUT ${path}/shipment" -d '{"shipDate":"${request.shipDate}"}'`;
    case 'cancel':
      return `orders -w '%{http_code}' -X DELETE ${path}"`;
    case 'get':
      return `orders ${path}"`;
    case 'list':
      return 'orders "$BASE/store/orders"';
  }
}
