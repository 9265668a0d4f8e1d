/**
 * A made-up year of a pet store, as the commands of the demo. A fixed seed drives every choice, so that
 * two demos differ only by the moment at which the year ends.
 *
 * Days differ by the season and the day of the week. A sale trebles a few days. On one bad day a crowd
 * comes and the payments fail: most of its orders are cancelled.
 */

import { instantAt } from '../../domain/instant.ts';
import type { CancelReason, OrderCommand } from '../../domain/order.ts';
import type { OrderId, PetId } from '../../domain/order-id.ts';

/** A command with its time, in milliseconds since 1970, and the id of the key that sent it. */
export interface DatedCommand {
  readonly atMs: number;
  readonly by: string;
  readonly command: OrderCommand;
}

/** The names of the keys behind the events, by their ids. */
export const DEMO_KEYS = {
  DemoWebsho: 'webshop',
  DemoMarket: 'marketplace',
  DemoPhones: 'phone orders',
  DemoNorthW: 'warehouse north',
  DemoSouthW: 'warehouse south',
  DemoSuppor: 'support desk',
  DemoPaymen: 'payments',
} as const;

type DemoKey = keyof typeof DEMO_KEYS;

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];
const DAYS = 365;
const YEAR_DAYS = 365.25;
const SEED = 20_261_124;

const ORDERS_PER_DAY = 6.5;
/** The share of each day of the week, from Thursday on: 1970 began with one. */
const WEEKDAYS = [1, 1.2, 1.35, 1.1, 0.85, 0.8, 0.9];
/** Orders come in waking hours, most of them around this one. */
const BUSIEST_HOUR = 17;
/** A sale lasted from the first of these days to the last, counted back from today. */
const [SALE_BEGAN, SALE_ENDED] = [200, 196];
const BAD_DAY = 96;

const PETS = 48;
const CANCELLED_SHARE = 0.1;
/** Orders that wait for a pet are neither shipped nor cancelled yet. */
const WAITING_SHARE = 0.02;

/** The reasons of an ordinary day, with their weights and the key that cancels for each. */
const REASONS: readonly (readonly [CancelReason | undefined, weight: number, by: DemoKey])[] = [
  ['customer_request', 40, 'DemoSuppor'],
  ['out_of_stock', 18, 'DemoNorthW'],
  ['payment_failed', 16, 'DemoPaymen'],
  ['duplicate', 10, 'DemoSuppor'],
  ['fraud_suspected', 7, 'DemoPaymen'],
  ['other', 5, 'DemoSuppor'],
  [undefined, 4, 'DemoSuppor'],
];

/** The ages of the newest orders, which are there at whatever hour a demo starts. */
const NEWEST_MINUTES = [3, 8, 19, 34];

/** Returns the commands of the year before a moment, the oldest first. */
export function demoYear(nowMs: number): readonly DatedCommand[] {
  const random = randomFrom(SEED);
  const placedAt = Array.from({ length: DAYS }, (_, index) =>
    timesOfDay(nowMs, DAYS - 1 - index, random),
  ).flat();
  const times = [...placedAt, ...NEWEST_MINUTES.map((age) => nowMs - age * MINUTE_MS)];
  const isOver = (atMs: number) => atMs <= nowMs - MINUTE_MS;
  const orders = times.filter(isOver).sort((one, other) => one - other);
  return orders
    .flatMap((atMs, index) => orderAt(atMs, BigInt(index + 1) as OrderId, nowMs, random))
    .filter(({ atMs }) => isOver(atMs))
    .sort((one, other) => one.atMs - other.atMs);
}

/** Returns the times of the orders of one day, so many days ago. */
function timesOfDay(nowMs: number, daysAgo: number, random: () => number): number[] {
  const day = Math.floor(nowMs / DAY_MS) - daysAgo;
  // Fewest in summer, most before the winter holidays, and a store that grows.
  const season = 1 + 0.35 * Math.cos((2 * Math.PI * (day - 352)) / YEAR_DAYS);
  const growth = 1 + 0.3 * (1 - daysAgo / DAYS);
  const isSale = daysAgo <= SALE_BEGAN && daysAgo >= SALE_ENDED;
  const crowd = daysAgo === BAD_DAY ? 4 : isSale ? 3.2 : 1;
  const share = (WEEKDAYS[day % 7] ?? 1) * season * growth * crowd;
  const count = Math.round(ORDERS_PER_DAY * share * (0.7 + 0.6 * random()));
  return Array.from({ length: count }, () => day * DAY_MS + timeOfDay(random));
}

/** Returns a time in a day: the mean of three even choices, around the busiest hour. */
function timeOfDay(random: () => number): number {
  const spread = (random() + random() + random()) / 3 - 0.5;
  const hour = BUSIEST_HOUR + spread * 20;
  return Math.floor(Math.min(23.99, Math.max(0, hour)) * HOUR_MS);
}

/** Returns the commands of one order: that places it, and the one that ends it if there is one. */
function orderAt(
  atMs: number,
  orderId: OrderId,
  nowMs: number,
  random: () => number,
): DatedCommand[] {
  const source = random();
  const by = source < 0.7 ? 'DemoWebsho' : source < 0.92 ? 'DemoMarket' : 'DemoPhones';
  const petId = BigInt(1 + Math.floor(random() ** 2 * PETS)) as PetId;
  const quantity = random() < 0.8 ? 1 : 2 + Math.floor(random() * 4);
  // Not every customer is told a date.
  const promised = random() < 0.75 ? { shipDate: dayAfter(atMs, 3 + random() * 4) } : {};
  const placed = { type: 'PlaceOrder', orderId, petId, quantity, ...promised } as const;
  return [{ atMs, by, command: placed }, ...endingOf(atMs, orderId, nowMs, random)];
}

/** Returns the command that ends an order, if it has not to wait. */
function endingOf(
  atMs: number,
  orderId: OrderId,
  nowMs: number,
  random: () => number,
): DatedCommand[] {
  const daysAgo = Math.floor(nowMs / DAY_MS) - Math.floor(atMs / DAY_MS);
  const fate = random();
  if (daysAgo === BAD_DAY && fate < 0.75) {
    const reason = fate < 0.65 ? 'payment_failed' : 'customer_request';
    const command = { type: 'CancelOrder', orderId, reason } as const;
    const by = fate < 0.65 ? 'DemoPaymen' : 'DemoSuppor';
    return [{ atMs: atMs + MINUTE_MS * (2 + random() * 90), by, command }];
  }
  if (fate < CANCELLED_SHARE) {
    const [reason, , by] = chosen(random);
    const why = reason === undefined ? {} : { reason };
    const command = { type: 'CancelOrder', orderId, ...why } as const;
    return [{ atMs: atMs + HOUR_MS * (0.05 + random() ** 3 * 50), by, command }];
  }
  if (fate > 1 - WAITING_SHARE) return [];
  const by = random() < 0.6 ? 'DemoNorthW' : 'DemoSouthW';
  const shippedMs = inWorkingHours(atMs + DAY_MS * (1 + random() * 3), random);
  const command = { type: 'ShipOrder', orderId, shipDate: dayAfter(shippedMs, 0) } as const;
  return [{ atMs: shippedMs, by, command }];
}

/** Returns a reason with its key, by weight. */
function chosen(random: () => number): (typeof REASONS)[number] {
  let rest = random() * REASONS.reduce((sum, [, weight]) => sum + weight, 0);
  for (const each of REASONS) {
    rest -= each[1];
    if (rest < 0) return each;
  }
  return REASONS[0] as (typeof REASONS)[number];
}

/** Returns a time between 8 and 17 o'clock on the day of another one, or after it if that is a Sunday. */
function inWorkingHours(atMs: number, random: () => number): number {
  const day = Math.floor(atMs / DAY_MS);
  const isSunday = day % 7 === 3;
  return (isSunday ? day + 1 : day) * DAY_MS + HOUR_MS * (8 + random() * 9);
}

function dayAfter(atMs: number, days: number) {
  const noon = Math.floor(atMs / DAY_MS + days) * DAY_MS + 12 * HOUR_MS;
  return instantAt(noon) ?? outOfRange();
}

function outOfRange(): never {
  throw new Error('a year of the demo is outside the years 0000 to 9999');
}

/** Returns a generator of numbers from 0 to 1, exclusively (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
