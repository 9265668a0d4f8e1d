import type { ItfState, ItfTrace } from '../aggregate/itf.ts';
import { FEW_DATES } from '../shrinking.ts';
import type { Rejection } from '../vocabulary.ts';

/** Traces of the specification of orders, orders.qnt beside this file, as happenings in order. */

/** A command. Orders have the numbers of their placements, from 1; {@link ABSENT} is never placed. */
export type SpecCommand =
  | { readonly do: 'place' }
  | { readonly do: 'ship'; readonly order: number; readonly shipDate: string }
  | { readonly do: 'cancel'; readonly order: number };

export interface SpecRequest {
  /** Unique in the trace: a request that is sent again has its number again. */
  readonly number: number;
  readonly hasKey: boolean;
  readonly isAtomic: boolean;
  /** One command, or the items of a batch, which are all of a kind. */
  readonly commands: readonly SpecCommand[];
}

export type SpecOutcome =
  | { readonly kind: 'done'; readonly order: number }
  | { readonly kind: 'refused'; readonly code: SpecRefusal };

type SpecRefusal = Exclude<Rejection, 'order_exists'> | 'batch_refused';

/** A request that was decided, with the outcome of each command. */
export interface Decided {
  readonly request: SpecRequest;
  readonly outcomes: readonly SpecOutcome[];
  /** True if the request had a key, and was decided before. */
  readonly isRepeat: boolean;
}

/** An order as the list shows it. */
export interface SpecRow {
  readonly order: number;
  /** The date of the shipment; absent unless the order has shipped. */
  readonly shipDate?: string;
}

export type Happening =
  /** An instance decides the requests that wait there, in this order. */
  | { readonly kind: 'decided'; readonly instance: number; readonly requests: readonly Decided[] }
  /** An instance serves the list. */
  | { readonly kind: 'listed'; readonly instance: number; readonly rows: readonly SpecRow[] }
  /** The process of an instance dies, and another one takes its place. */
  | { readonly kind: 'crashed'; readonly instance: number };

/** The number that the specification gives to no order. */
export const ABSENT = 0;

/** The specification's values, as decoded. */
interface World {
  readonly decided: readonly {
    readonly request: RawRequest;
    readonly outcomes: readonly Tagged[];
  }[];
  readonly shown: readonly (readonly RawEvent[])[];
}

interface Tagged {
  readonly tag: string;
  readonly value: unknown;
}

interface RawRequest {
  readonly number: bigint;
  readonly hasKey: boolean;
  readonly isAtomic: boolean;
  readonly commands: readonly Tagged[];
}

interface RawEvent {
  readonly id: bigint;
  readonly fact: Tagged;
}

/** Returns the happenings of a trace. Throws if it is a trace of another specification, or lacks `--mbt`. */
export function happeningsOf({ name, states }: ItfTrace): readonly Happening[] {
  const kept = new Set<number>();
  return states.flatMap((state): readonly Happening[] => {
    const { decided, shown } = worldIn(state, name);
    const instance = Number(state.picks.instance ?? 0);
    if (state.action === 'crash') return [{ kind: 'crashed', instance }];
    const [list] = shown;
    if (list !== undefined) return [{ kind: 'listed', instance, rows: rowsOf(list) }];
    if (decided.length === 0) return [];
    return [{ kind: 'decided', instance, requests: decided.map((one) => decidedOf(one, kept)) }];
  });
}

function worldIn({ variables, action }: ItfState, name: string): World {
  const world = variables.world as unknown as Partial<World> | undefined;
  const { decided, shown } = world ?? {};
  if (decided === undefined || shown === undefined) {
    throw new Error(`${name} is no trace of the specification of orders`);
  }
  if (action === undefined) throw new Error(`${name} has no names of actions: add --mbt`);
  return { decided, shown };
}

/** @param kept The numbers of requests with a key that were decided before; this one is added. */
function decidedOf(
  { request: raw, outcomes }: World['decided'][number],
  kept: Set<number>,
): Decided {
  const number = Number(raw.number);
  const { hasKey, isAtomic } = raw;
  const isRepeat = kept.has(number);
  if (hasKey) kept.add(number);
  const commands = raw.commands.map(commandOf);
  return {
    request: { number, hasKey, isAtomic, commands },
    outcomes: outcomes.map(outcomeOf),
    isRepeat,
  };
}

function commandOf({ tag, value }: Tagged): SpecCommand {
  switch (tag) {
    case 'Place':
      return { do: 'place' };
    case 'Ship': {
      const { id, date } = value as { readonly id: bigint; readonly date: bigint };
      return { do: 'ship', order: Number(id), shipDate: dateOf(date) };
    }
    case 'Cancel':
      return { do: 'cancel', order: Number(value) };
    default:
      throw new Error(`the specification has no command ${tag}`);
  }
}

function outcomeOf({ tag, value }: Tagged): SpecOutcome {
  if (tag === 'Done') return { kind: 'done', order: Number(value) };
  return { kind: 'refused', code: value as SpecRefusal };
}

function rowsOf(log: readonly RawEvent[]): readonly SpecRow[] {
  const placed = log.filter(({ fact }) => fact.tag === 'Placed');
  return placed.map(({ id }) => {
    const shipped = log.find((event) => event.id === id && event.fact.tag === 'Shipped');
    const order = Number(id);
    if (shipped === undefined) return { order };
    return { order, shipDate: dateOf(shipped.fact.value as bigint) };
  });
}

/** Returns the date of a number from 1. */
function dateOf(number: bigint): string {
  const date = FEW_DATES[Number(number) - 1];
  if (date === undefined) throw new Error(`the specification has no date ${number}`);
  return date;
}
