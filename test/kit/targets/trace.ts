import { letterOf } from '../program.ts';

/**
 * Records requests as lines for a shell. An order is a variable there, because the same requests
 * place another order when they are sent again.
 */

/** The functions that the lines of a script use. */
export const SHELL_FUNCTIONS: readonly string[] = [
  '# Set these two first: BASE=http://127.0.0.1:3000/v1; KEY=sto_…',
  'orders() { curl -s -w \'\\n\' -H "Authorization: Bearer $KEY" -H \'Content-Type: application/json\' "$@"; }',
  // The id of the order, however its JSON is laid out, and not that of an object in it.
  'placed() { { orders "$BASE/store/orders" -d "$@" | tr -d \' \\t\\r\\n\'; echo; } | ' +
    "sed -e :a -e 's/\\([:,[]\\){[^{}]*}/\\1/g' -e ta -e 's/.*[{,]\"id\":\\(-\\{0,1\\}[0-9]*\\).*/\\1/'; }",
];

/** The number of requests that a script ends with. */
const NEWEST = 12;
/** The largest number of earlier requests about the same orders. */
const EARLIER = 30;

/** The place of an order's id in a line. */
export const ORDER = '{order}';

interface Entry {
  /** The request, with {@link ORDER} for the order that it is about. */
  readonly line: string;
  readonly about: bigint | undefined;
  /** The order that it placed. */
  placed?: bigint;
  /** True if an adapter placed the order: the line describes it, and sends nothing. */
  readonly isGiven: boolean;
}

export class Trace {
  #entries: Entry[] = [];
  #orders = new Set<bigint>();

  /** Notes a request; returns a function that notes the order that it has placed. */
  note(line: string, about?: bigint): (id: bigint) => void {
    const entry: Entry = { line, about, isGiven: false };
    this.#entries.push(entry);
    if (about !== undefined) this.#orders.add(about);
    return (id) => {
      entry.placed = id;
      this.#orders.add(id);
    };
  }

  /** Notes an order that an adapter has placed: a script cannot do that. */
  noteGiven(body: string, id: bigint): void {
    const line = `# the id of an order that your adapter has placed: ${body}`;
    this.#entries.push({ line, about: undefined, placed: id, isGiven: true });
    this.#orders.add(id);
  }

  /** Returns the orders that requests have placed or named since the last call. */
  takeOrders(): ReadonlySet<bigint> {
    const orders = this.#orders;
    this.#orders = new Set();
    return orders;
  }

  /** Forgets all requests. Returns the last ones, and earlier ones about their orders. */
  take(): readonly string[] {
    const entries = this.#entries;
    this.#entries = [];
    const newest = entries.slice(-NEWEST);
    const concerned = new Set(
      newest.flatMap(({ about, placed }) => [about ?? [], placed ?? []].flat()),
    );
    const isConcerned = (id: bigint | undefined) => id !== undefined && concerned.has(id);
    const earlier = entries
      .slice(0, -NEWEST)
      .filter(({ about, placed }) => isConcerned(about) || isConcerned(placed));
    const names = new Map<bigint, string>();
    return [...earlier.slice(-EARLIER), ...newest].map((entry) => asLine(entry, names));
  }
}

function asLine(entry: Entry, names: Map<bigint, string>): string {
  const { about, placed, isGiven } = entry;
  const line = entry.line.replace(ORDER_IDS, (ids) => withNames(ids, names));
  if (about !== undefined) {
    const name = names.get(about);
    return line.replaceAll(ORDER, name === undefined ? `${about}` : `\${${name}}`);
  }
  if (placed === undefined || names.has(placed)) return line;
  const name = letterOf(names.size);
  names.set(placed, name);
  return isGiven ? `${name}=${placed} ${line}` : `${name}=$(${line})`;
}

/** Matches the ids of the orders that a batch is about, in its body. */
const ORDER_IDS = /"orderIds":\[[^\]]*\]/;

/** Returns a part of a text in single quotes with the names of orders for their ids. */
function withNames(ids: string, names: ReadonlyMap<bigint, string>): string {
  return ids.replaceAll(/"(-?\d+)"/g, (quoted, id) => {
    const name = names.get(BigInt(id));
    return name === undefined ? quoted : `"'"\${${name}}"'"`;
  });
}
