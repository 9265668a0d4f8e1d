import { FEW_DATES } from '../arbitraries.ts';
import { exactJson } from '../history/exact-json.ts';
import { V2 } from '../spec/replay.ts';
import type { Answer } from '../targets/api-client.ts';
import { checkError, checkJson, told } from '../targets/orders-api.ts';
import { ORDER } from '../targets/trace.ts';
import { freshPet } from './orders.ts';
import { type Check, must, SERVICE_WRITES, type Trial } from './trial.ts';

/** Checks of the list of version 2, its filters, pages and moments: promises of this service. */

const SHOWN = 'version 2 shows an order as it is, with its status, alone and in the list';
const FILTERED = 'a filter of version 2 lets every order through that matches it, and no other';
const PAGED = 'the pages of version 2 have every order once, in both directions';
const THEN = 'the list of version 2 as of a moment is as it was';
const WRONG = 'a parameter of version 2 that is unknown, malformed or repeated is a 400';

const [DATE, OTHER_DATE] = FEW_DATES;
const LIST = `${V2}/store/orders`;
const HOUR_MS = 3_600_000;

/** An order as version 2 shows it. */
interface Row {
  readonly id: string;
  readonly petId: string;
  readonly quantity: unknown;
  readonly shipDate?: string;
  readonly complete: unknown;
  readonly status: string;
  readonly placedAt: string;
  readonly shippedAt?: string;
  readonly cancelledAt?: string;
}

interface Page {
  readonly rows: readonly Row[];
  readonly next: string | undefined;
  /** The query of the next page by the Link, or an empty text. */
  readonly link: string;
  readonly asOf: unknown;
}

/** What is known of an order by the answers to its commands. */
type Known = Pick<Row, 'id' | 'petId' | 'quantity' | 'complete' | 'status' | 'shipDate'>;

const NEEDS = [...SERVICE_WRITES, 'the list of version 2'] as const;

export const filteredList: readonly Check[] = [
  { name: SHOWN, group: 'list', basis: 'promise', needs: NEEDS, run: checkShown },
  { name: FILTERED, group: 'list', basis: 'promise', needs: NEEDS, run: checkFilters },
  { name: PAGED, group: 'list', basis: 'promise', needs: NEEDS, run: checkPages },
  { name: THEN, group: 'list', basis: 'promise', needs: NEEDS, run: checkMoments },
  { name: WRONG, group: 'errors', basis: 'promise', needs: NEEDS, run: checkParameters },
];

async function checkShown(trial: Trial): Promise<undefined> {
  const petId = anyPet();
  const known = await placeSome(trial, petId);
  const { rows } = await pageOf(trial, SHOWN, `petId=${petId}`);
  requireRows(SHOWN, rows, known, 'the list');
  for (const row of rows) {
    const about = BigInt(row.id);
    const asked = { about, shell: `${LIST}/${ORDER}` };
    const answer = await trial.api.client.ask('GET', `${LIST}/${about}`, asked);
    must(answer.status === 200, SHOWN, `order ${row.id} alone is ${told(answer)}`);
    const one = exactJson(answer.text) as Row;
    const [alone, listed] = [one, row].map((each) => `${inWords(each)}, at ${timesOf(each)}`);
    must(alone === listed, SHOWN, `alone it is ${alone}, and in the list ${listed}`);
    const dates = { pending: 1, shipped: 2, cancelled: 2 }[row.status];
    const what = `order ${row.id}, which is ${row.status}, has the times ${timesOf(row)}`;
    must(timesOf(row).split(' ').length === dates, SHOWN, what);
  }
  return undefined;
}

async function checkFilters(trial: Trial): Promise<undefined> {
  const petId = anyPet();
  const known = await placeSome(trial, petId);
  // An animal that a detour through a double takes for the same.
  await trial.api.place({ petId: petId + 1n, quantity: 1 });
  const { rows } = await pageOf(trial, FILTERED, `petId=${petId}`);
  requireRows(FILTERED, rows, known, `the list for the animal ${petId}`);
  const { id, placedAt } = rows[2] as Row;
  const about = BigInt(id);
  // An offset has a sign.
  const placed = encodeURIComponent(placedAt);
  const isFrom = (row: Row) => BigInt(row.id) >= about;
  const isLate = ({ shipDate }: Row, than: string) => momentOf(shipDate) >= Date.parse(than);
  const filters: readonly (readonly [query: string, matches: (row: Row) => boolean])[] = [
    ...['pending', 'shipped', 'cancelled'].map((status) => {
      return [`status=${status}`, (row: Row) => row.status === status] as const;
    }),
    ['complete=true', ({ status }) => status === 'shipped'],
    ['complete=false', ({ status }) => status !== 'shipped'],
    [`fromId=${ORDER}`, isFrom],
    [`toId=${ORDER}`, (row) => !isFrom(row)],
    [`id=${ORDER},-1`, (row) => row.id === id],
    [`placedFrom=${placed}`, (row) => row.placedAt >= placedAt],
    [`placedTo=${placed}`, (row) => row.placedAt < placedAt],
    ...[DATE, OTHER_DATE].flatMap((date) => [
      [`shipDateFrom=${date}`, (row: Row) => isLate(row, date)] as const,
      [`shipDateFrom=${withOffset(date)}`, (row: Row) => isLate(row, date)] as const,
      [`shipDateTo=${date}`, (row: Row) => momentOf(row.shipDate) < Date.parse(date)] as const,
    ]),
    ['status=cancelled&order=desc', ({ status }) => status === 'cancelled'],
  ];
  for (const [query, matches] of filters) {
    const found = await pageOf(trial, FILTERED, `petId=${petId}&${query}`, about);
    const due = rows.filter(matches).map((row) => row.id);
    if (query.includes('desc')) due.reverse();
    const what = `of ${idsOf(rows)}, ${query.replace(ORDER, id)} lets through`;
    const ids = idsOf(found.rows);
    must(ids === idsIn(due), FILTERED, `${what} ${ids}, and should ${idsIn(due)}`);
  }
  return undefined;
}

/** Pages through the list while it changes, first by `next`, then backwards by the Link. */
async function checkPages(trial: Trial): Promise<undefined> {
  const petId = anyPet();
  const known = await placeSome(trial, petId);
  const [first, , , last] = known as [Known, Known, Known, Known];
  const change = async () => {
    await trial.api.cancel(BigInt(first.id));
    await trial.api.cancel(BigInt(last.id));
    await trial.api.place({ petId, quantity: 1 });
  };
  const due = known.map(({ id }) => id);
  const isOld = (id: string) => due.includes(id);
  const forwards = (await walk(trial, `petId=${petId}&limit=2`, 'next', change)).filter(isOld);
  const found = idsIn(forwards);
  must(found === idsIn(due), PAGED, `they have ${found}, and should have ${idsIn(due)}`);
  const back = `petId=${petId}&limit=3&order=desc`;
  const backwards = idsIn((await walk(trial, back, 'link')).filter(isOld));
  const reversed = idsIn(due.toReversed());
  must(backwards === reversed, PAGED, `backwards they have ${backwards}, not ${reversed}`);
  return undefined;
}

/** Returns the ids on all pages. */
async function walk(
  trial: Trial,
  query: string,
  by: 'next' | 'link',
  afterFirst?: () => Promise<void>,
): Promise<readonly string[]> {
  const limit = Number(/limit=(\d+)/.exec(query)?.[1]);
  const ids: string[] = [];
  for (let more: string | undefined = query; more !== undefined; ) {
    const shell: string = more === query ? query : `${query}&after=$NEXT`;
    const page: Page = await pageOf(trial, PAGED, more, undefined, shell);
    const { rows, next, link } = page;
    must(rows.length <= limit, PAGED, `of a limit of ${limit} it has ${rows.length} orders`);
    const agrees = next === undefined ? link === '' : link.includes(next);
    must(agrees, PAGED, `its next is ${next ?? 'absent'}, and its Link ${link || 'absent'}`);
    // A cursor that leads nowhere would be followed for ever.
    must(next === undefined || rows.length > 0, PAGED, 'it has no order, and a page behind it');
    if (ids.length === 0) await afterFirst?.();
    ids.push(...rows.map(({ id }) => id));
    must(ids.length <= MAX_WALKED, PAGED, `the pages have more than ${MAX_WALKED} orders`);
    const cut = `tr -d ' ' | grep -o '"next":"[^"]*"' | cut -d '"' -f 4`;
    trial.api.client.trace.note(`NEXT=$(orders "$BASE${LIST}?${shell}" | ${cut})`);
    more = next === undefined ? undefined : by === 'link' ? link : `${query}&after=${next}`;
  }
  return ids;
}

/** More than the orders of any walk. */
const MAX_WALKED = 100;

/** Compares the list as of each command with what was known then, by positions and by a time. */
async function checkMoments(trial: Trial): Promise<undefined> {
  const { api } = trial;
  const petId = anyPet();
  const filter = `petId=${petId}`;
  const one = await placeOne(trial, petId, 1);
  const moments: { readonly position: string; readonly known: readonly Known[] }[] = [];
  let known: readonly Known[] = [];
  const note = async (now: readonly Known[]) => {
    known = now.toSorted(byId);
    const position = await positionOf(trial, filter, moments.length, BigInt(one.id));
    moments.push({ position, known });
  };
  const change = (id: bigint, to: Partial<Known>) => {
    return known.map((each) => (each.id === `${id}` ? { ...each, ...to } : each));
  };
  await note([one]);
  const two = await placeOne(trial, petId, 2);
  await note([...known, two]);
  const [shipped, cancelled] = [BigInt(one.id), BigInt(two.id)];
  await api.ship(shipped, DATE);
  await note(change(shipped, { shipDate: DATE, complete: true, status: 'shipped' }));
  await api.cancel(cancelled);
  await note(change(cancelled, { status: 'cancelled' }));
  await note([...known, await placeOne(trial, petId, 3)]);
  for (const [index, moment] of moments.entries()) {
    const asOf = `asOf=$P${index + 1}`;
    const at = `as of ${moment.position}`;
    const pageAt = (query: string) => {
      const given = query.replace(/\$P\d/, moment.position);
      return pageOf(trial, THEN, given, shipped, query);
    };
    const page = await pageAt(`${filter}&${asOf}`);
    requireRows(THEN, page.rows, moment.known, at);
    must(`${page.asOf}` === moment.position, THEN, `${at}, its asOf is ${page.asOf}`);
    const pending = await pageAt(`${filter}&status=pending&${asOf}`);
    const due = moment.known.filter(({ status }) => status === 'pending');
    requireRows(THEN, pending.rows, due, `of the pending ones ${at}`);
  }
  await checkTime(trial, petId);
  return undefined;
}

/** Compares the list as of the time of a shipment, written with an offset, with the times of its orders. */
async function checkTime(trial: Trial, petId: bigint): Promise<void> {
  const { rows } = await pageOf(trial, THEN, `petId=${petId}`);
  const at = rows.find(({ shippedAt }) => shippedAt !== undefined)?.shippedAt ?? '';
  must(at !== '', THEN, 'the shipped order has no shippedAt');
  const isBy = (time: string | undefined) => momentOf(time) <= Date.parse(at);
  const due = rows.flatMap((row): readonly string[] => {
    if (!isBy(row.placedAt)) return [];
    return [isBy(row.shippedAt) ? 'shipped' : isBy(row.cancelledAt) ? 'cancelled' : 'pending'];
  });
  const then = await pageOf(trial, THEN, `petId=${petId}&asOf=${withOffset(at)}`);
  const found = then.rows.map(({ status }) => status).join(', ');
  must(found === due.join(', '), THEN, `as of ${at} they are ${found}, not ${due.join(', ')}`);
}

async function checkParameters(trial: Trial): Promise<undefined> {
  const petId = anyPet();
  for (const quantity of [1, 2]) await trial.api.place({ petId, quantity });
  const { next } = await pageOf(trial, WRONG, `petId=${petId}&limit=1`);
  const foreign = next === undefined ? [] : [`petId=${petId + 1n}&limit=1&after=${next}`];
  for (const query of [...WRONG_QUERIES, ...foreign]) {
    const answer = await trial.api.client.ask('GET', `${LIST}?${query}`);
    must(answer.status === 400, WRONG, `${query} is ${told(answer)}`);
    checkError(answer, 400, 'invalid_request');
  }
  return undefined;
}

const WRONG_QUERIES = [
  ...['colour=red', 'Status=pending', 'limit=0', 'limit=1001', 'limit=1.5', 'limit=2&limit=2'],
  ...['status=lost', 'status=', 'complete=yes', 'order=up', 'fromId=x', 'petId=1.5', 'id=1,'],
  ...['placedFrom=yesterday', 'shipDateTo=2026-02-30T00:00:00Z', 'after=x'],
  ...['asOf=x', 'asOf=-1', 'asOf=9007199254740991', 'asOf=9999-01-01T00:00:00Z'],
];

/** Returns an animal that no other order names, with more digits than a double has. */
function anyPet(): bigint {
  return freshPet() + 7n;
}

/** Places six orders for an animal, two of each status. Returns them by id. */
async function placeSome(trial: Trial, petId: bigint): Promise<readonly Known[]> {
  const placed: Known[] = [];
  for (const [index, date] of [undefined, DATE, OTHER_DATE, undefined, DATE, DATE].entries()) {
    placed.push(await placeOne(trial, petId, index + 1, date));
  }
  const known = await Promise.all(
    placed.map(async (order, index): Promise<Known> => {
      const id = BigInt(order.id);
      if (index % 3 === 0) return order;
      if (index % 3 === 1) {
        await trial.api.ship(id, OTHER_DATE);
        return { ...order, shipDate: OTHER_DATE, complete: true, status: 'shipped' };
      }
      await trial.api.cancel(id);
      return { ...order, status: 'cancelled' };
    }),
  );
  return known.toSorted(byId);
}

async function placeOne(
  { api }: Trial,
  petId: bigint,
  quantity: number,
  date?: string,
): Promise<Known> {
  const dated = date === undefined ? {} : { shipDate: date };
  const { id } = await api.place({ petId, quantity, ...dated });
  const ids = { id: `${id}`, petId: `${petId}` };
  return { ...ids, quantity, ...dated, complete: false, status: 'pending' };
}

/**
 * Returns the position of the log, by the list's ETag, and notes it for a script as P1, P2 and so on.
 * @param about The order whose requests the script has.
 */
async function positionOf(
  { api }: Trial,
  filter: string,
  index: number,
  about: bigint,
): Promise<string> {
  const path = `${LIST}?${filter}&limit=1`;
  const answer = await api.client.ask('GET', path, { about, shell: path });
  const [, position = ''] = /(\d+)"$/.exec(answer.header('etag')) ?? [];
  must(position !== '', THEN, `the ETag of the list is ${answer.header('etag') || 'absent'}`);
  const tag = `grep -i '^etag:' | grep -o '[0-9][0-9]*"' | tr -d '"'`;
  api.client.trace.note(`P${index + 1}=$(orders -i "$BASE${path}" | ${tag})`, about);
  return position;
}

/**
 * Returns a page of the list.
 * @param about The order whose id {@link ORDER} stands for.
 * @param shell The query in a shell.
 */
async function pageOf(
  { api }: Trial,
  rule: string,
  query: string,
  about?: bigint,
  shell = query,
): Promise<Page> {
  const asked = { ...(about !== undefined && { about }), shell: `${LIST}?${shell}` };
  const path = `${LIST}?${query.replace(ORDER, `${about}`)}`;
  const answer = await api.client.ask('GET', path, asked);
  must(answer.status === 200, rule, `${query} is ${told(answer)}`);
  checkJson(answer, rule);
  const { data, next, asOf } = Object(exactJson(answer.text));
  must(Array.isArray(data), rule, `${query} is ${told(answer)}`);
  return { rows: data, next: next ?? undefined, link: linkIn(answer), asOf };
}

/** Returns the query of the Link to the next page (RFC 8288). */
function linkIn(answer: Answer): string {
  const [, target = ''] = /<([^>]*)>; *rel="?next"?/.exec(answer.header('link')) ?? [];
  return target.slice(target.indexOf('?') + 1);
}

/** Throws a Violation unless rows are the orders that are due, in this order. */
function requireRows(
  rule: string,
  rows: readonly Row[],
  due: readonly Known[],
  what: string,
): void {
  const [found, expected] = [rows.map(inWords), due.map(inWords)];
  const at = Math.max(...[found, expected].map(({ length }) => length));
  for (let index = 0; index < at; index++) {
    const [one = 'no order', other = 'no order'] = [found[index], expected[index]];
    must(one === other, rule, `${what} has ${one}, and should have ${other}`);
  }
}

function inWords({ id, petId, quantity, shipDate, complete, status }: Known): string {
  const at = momentOf(shipDate);
  const date = Number.isNaN(at) ? (shipDate ?? 'no date') : new Date(at).toISOString();
  const isText = typeof id === 'string' && typeof petId === 'string';
  const ids = isText ? `order ${id} for animal ${petId}` : 'an order with ids that are no texts';
  return `${ids}, ${quantity} on ${date}, ${status}, complete: ${complete}`;
}

function timesOf({ placedAt, shippedAt, cancelledAt }: Row): string {
  return [placedAt, shippedAt, cancelledAt].filter((each) => each !== undefined).join(' ');
}

/** Returns a time in milliseconds; NaN, which is neither before nor after another one, for none. */
function momentOf(time: string | undefined): number {
  return time === undefined ? Number.NaN : Date.parse(time);
}

/** Returns a time as a clock an hour ahead of UTC shows it, as it is written in a query. */
function withOffset(time: string): string {
  const local = new Date(Date.parse(time) + HOUR_MS).toISOString();
  return local.replace('Z', '%2B01:00');
}

function byId(one: Known, other: Known): number {
  return BigInt(one.id) < BigInt(other.id) ? -1 : 1;
}

function idsOf(rows: readonly Row[]): string {
  return idsIn(rows.map(({ id }) => id));
}

function idsIn(ids: readonly string[]): string {
  return ids.join(', ') || 'none';
}
