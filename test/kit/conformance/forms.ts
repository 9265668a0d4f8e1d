import fc from 'fast-check';
import { FEW_DATES, times } from '../arbitraries.ts';
import { brokenOrderRule } from '../oracle/list-rules.ts';
import { Violation } from '../target.ts';
import { type Asked, idIn } from '../targets/api-client.ts';
import { isSuccess, type Placing, told } from '../targets/orders-api.ts';
import { freshPet, listed, placePending } from './orders.ts';
import { type Check, forAll, must, SERVICE_WRITES, type Trial } from './trial.ts';

/** Checks that a value is read the same in every form in which its standard lets clients write it. */

const DATES = 'a date is the same moment, in whatever form of RFC 3339 it is sent';
const SHIPPED = 'an order ships on the same moment, in whatever form its date is sent';
const JSON_FORMS = 'a body is the same order, in whatever form of JSON it is sent';
const HEADERS = 'the name of a header may have any case, and its value blanks around it';

/** A date as a client may write it, and the moment that it means. */
interface Written {
  readonly text: string;
  readonly moment: string;
}

const MINUTE_MS = 60_000;
/** An hour and the largest offset of RFC 3339, in minutes. */
const [HOUR, MAX_OFFSET] = [60, 24 * 60 - 1] as const;

/** The offsets of the world's ends, those with parts of an hour, and no offset in its other forms. */
const OFFSETS = [
  'Z',
  '+01:00',
  '-05:00',
  '+14:00',
  '-12:00',
  '+05:30',
  '-03:30',
  '+05:45',
] as const;
const NO_OFFSETS = ['Z', '+00:00', '-00:00'] as const;

/** Dates whose offset changes the day, the month, the year, or a leap day; plain ones first. */
const WRITTEN: readonly Written[] = [
  ['2026-01-31T13:00:00+01:00', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T07:30:00.000-04:30', '2026-01-31T12:00:00.000Z'],
  ['2026-01-01T13:59:59.999+14:00', '2025-12-31T23:59:59.999Z'],
  ['2025-12-31T23:00:00-12:00', '2026-01-01T11:00:00.000Z'],
  ['2024-03-01T00:15:00+00:30', '2024-02-29T23:45:00.000Z'],
  ['2024-02-29T23:45:00-00:30', '2024-03-01T00:15:00.000Z'],
  ['2100-03-01T00:15:00+00:30', '2100-02-28T23:45:00.000Z'],
  ['2000-02-29T00:00:00+05:45', '2000-02-28T18:15:00.000Z'],
  ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00:00-00:00', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00:00.5Z', '2026-01-31T12:00:00.500Z'],
  ['2026-01-31T12:00:00.05Z', '2026-01-31T12:00:00.050Z'],
  ['2026-01-31T12:00:00.123000000Z', '2026-01-31T12:00:00.123Z'],
  ['2026-01-31t12:00:00.000z', '2026-01-31T12:00:00.000Z'],
].map(([text = '', moment = '']) => ({ text, moment }));

/** Dates with digits beyond the millisecond, which this service cuts off: rounded, some change the day or the year. */
const CUT: readonly Written[] = [
  ['2026-01-31T12:00:00.1239Z', '2026-01-31T12:00:00.123Z'],
  ['2026-01-31T12:00:00.0295000Z', '2026-01-31T12:00:00.029Z'],
  ['2026-01-31T23:59:59.9995+05:30', '2026-01-31T18:29:59.999Z'],
  ['2025-12-31T23:59:59.999999999Z', '2025-12-31T23:59:59.999Z'],
  ['1969-12-31T23:59:59.9985Z', '1969-12-31T23:59:59.998Z'],
].map(([text = '', moment = '']) => ({ text, moment }));

/** Any moment in any form. Digits beyond the millisecond are zeros: the contract says nothing of more. */
const anyWritten: fc.Arbitrary<Written> = fc
  .record({
    time: times,
    zone: fc.oneof(
      fc.constantFrom(...OFFSETS),
      fc.constantFrom(...NO_OFFSETS),
      fc.integer({ min: -MAX_OFFSET, max: MAX_OFFSET }).map(zoneOf),
    ),
    digits: fc.nat({ max: 9 }),
    isSmall: fc.boolean(),
  })
  .filter(({ time, zone }) => YEARS.test(localOf(time, zone)))
  .map(({ time, zone, digits, isSmall }) => {
    const [, seconds, fraction] = YEARS.exec(localOf(time, zone)) as unknown as string[];
    const exact = fraction?.replace(/0+$/, '') ?? '';
    const shown = exact.padEnd(digits, '0');
    const text = `${seconds}${shown === '' ? '' : `.${shown}`}${zone}`;
    const moment = new Date(time).toISOString();
    return { text: isSmall ? text.toLowerCase() : text, moment };
  });

/** Matches a time as {@link Date} writes it, in the years of RFC 3339. */
const YEARS = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{3})Z$/;

function zoneOf(offset: number): string {
  const [hours, minutes] = [Math.trunc(Math.abs(offset) / HOUR), Math.abs(offset) % HOUR];
  const [hh, mm] = [hours, minutes].map((each) => `${each}`.padStart(2, '0'));
  return `${offset < 0 ? '-' : '+'}${hh}:${mm}`;
}

function localOf(time: number, zone: string): string {
  const [, sign, hours = 0, minutes = 0] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
  const offset = (sign === '-' ? -1 : 1) * (Number(hours) * HOUR + Number(minutes));
  return new Date(time + offset * MINUTE_MS).toISOString();
}

export const forms: readonly Check[] = [
  {
    name: DATES,
    group: 'place',
    basis: 'contract',
    needs: SERVICE_WRITES,
    async run(trial) {
      const rule = async ({ text, moment }: Written) => {
        trial.api.client.trace.take();
        const placing = { petId: 7n, quantity: 1, shipDate: moment };
        const body = `{"petId":7,"quantity":1,"shipDate":"${text}"}`;
        await requirePlaced(trial, DATES, placing, { body });
      };
      for (const written of WRITTEN) await rule(written);
      return forAll(trial, anyWritten, 30, rule);
    },
  },
  {
    name: SHIPPED,
    group: 'ship',
    basis: 'promise',
    needs: SERVICE_WRITES,
    async run(trial) {
      const rule = async ({ text, moment }: Written) => {
        trial.api.client.trace.take();
        const id = await placePending(trial);
        for (const form of [text, moment]) {
          const body = `{"shipDate":"${form}"}`;
          const shipped = await trial.api.askToShip(id, moment, {}, body);
          must(shipped.status === 200, SHIPPED, `on ${form} it is ${told(shipped)}`);
        }
        const { shipDate } = await listed(trial, id, SHIPPED);
        must(shipDate === moment, SHIPPED, `order ${id} has ${shipDate}, not ${moment}`);
      };
      for (const written of [...WRITTEN, ...CUT]) await rule(written);
      return forAll(trial, anyWritten, 10, rule);
    },
  },
  {
    name: JSON_FORMS,
    group: 'place',
    basis: 'contract',
    needs: SERVICE_WRITES,
    async run(trial) {
      const placing = { petId: freshPet(), quantity: 2, shipDate: FEW_DATES[0] };
      for (const asked of jsonForms(placing)) {
        trial.api.client.trace.take();
        await requirePlaced(trial, JSON_FORMS, placing, asked);
      }
      return undefined;
    },
  },
  {
    name: HEADERS,
    group: 'authentication',
    basis: 'contract',
    needs: [],
    async run({ api, key }) {
      for (const name of ['authorization', 'AUTHORIZATION', 'aUTHORIZATION', 'Authorization']) {
        const blanks = name === 'Authorization' ? '  ' : '';
        const value = `${blanks}Bearer ${key}${blanks}`;
        const headers = { [name]: { value, shell: `${blanks}Bearer $KEY${blanks}` } };
        const asked = { authorization: null, headers };
        const answer = await api.client.ask('GET', '/store/orders', asked);
        const what = `with "${name}: ${blanks}Bearer …${blanks}"`;
        must(answer.status === 200, HEADERS, `${what} it is ${told(answer)}`);
      }
      return undefined;
    },
  },
];

/** Places an order by a request in another form, and compares it with that in the list. */
async function requirePlaced(
  trial: Trial,
  rule: string,
  placing: Placing,
  asked: Asked,
): Promise<void> {
  const answer = await trial.api.askToPlace(placing, asked);
  const what = asked.body?.replaceAll(/\s+/g, ' ');
  // The contract does not define the operation: a server may refuse a form, and not misread it.
  if (trial.isContractOnly && !isSuccess(answer)) return;
  const id = isSuccess(answer) ? idIn(answer) : undefined;
  if (id === undefined) throw new Violation(rule, `${what} is ${told(answer)}`);
  const broken = brokenOrderRule(await listed(trial, id, rule), {
    id,
    ...placing,
    complete: false,
  });
  if (broken !== undefined) throw new Violation(rule, `${what}: ${broken.detail}`);
}

/** Returns a placement in the forms of RFC 8259, and of its media type. */
function jsonForms({ petId, quantity, shipDate = '' }: Placing): readonly Asked[] {
  const [pet, number, date] = [`"petId":${petId}`, `"quantity":${quantity}`, '"shipDate":'];
  const plain = `{${pet},${number},${date}"${shipDate}"}`;
  const escaped = shipDate.replaceAll(':', '\\u003A').replace('Z', '\\u005a');
  return [
    { body: ` { "petId" : ${petId} , "quantity" : ${quantity} , "shipDate" : "${shipDate}" } ` },
    { body: `\r\n${plain.replaceAll(/[{,]/g, '$&\n\t')}\n` },
    { body: `{${date}"${shipDate}",${number},${pet}}` },
    { body: `{${pet},${number},${date}"${escaped}"}` },
    { body: plain.replace('petId', '\\u0070et\\u0049d').replace('shipDate', 'ship\\u0044ate') },
    { body: plain, headers: { 'content-type': 'application/json; charset=utf-8' } },
    { body: plain, headers: { 'content-type': 'Application/JSON;charset="UTF-8"' } },
    { body: plain, headers: { 'CONTENT-TYPE': 'application/json' } },
  ];
}
