import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import type { RefusalRecord } from '../../../src/app/ports/refusal-trail.ts';
import { Place } from '../../support/command-line.ts';
import { NOON } from '../../support/events.ts';

const PATH = '/v1/store/orders/7';

/** A store that has refused a known key, an unknown one, something that is no key, and much more. */
async function given() {
  const place = new Place();
  const { out } = await place.run('keys', 'create', '--name', 'the warehouse');
  const keyId = out.split('_')[1] as string;
  const asked = { at: NOON, method: 'DELETE', path: PATH };
  const records: RefusalRecord[] = [
    { ...asked, code: 'order_already_shipped', keyId, requestId: 'r1' },
    { ...asked, code: 'unauthorized', keyId: 'AbCdEfGh01', requestId: 'r2' },
    { ...asked, code: 'unauthorized', requestId: 'r3' },
    { at: NOON, leftOut: 12 },
  ] as RefusalRecord[];
  const store = await place.open();
  await store.refusals.append(records);
  await store.close();
  return { place, keyId, records };
}

const HEAD = 'position\tat\tkey\trequest\tcode\trequest id';

test('refusals are listed with the name of the key', async () => {
  const { place, keyId } = await given();
  const { code, out } = await place.run('audit', 'refusals');
  expect([code, ...out.split('\n')]).toStrictEqual([
    0,
    HEAD,
    `1\t${NOON}\t${keyId} (the warehouse)\tDELETE ${PATH}\torder_already_shipped\tr1`,
    `2\t${NOON}\tnot AbCdEfGh01\tDELETE ${PATH}\tunauthorized\tr2`,
    `3\t${NOON}\tnot a key\tDELETE ${PATH}\tunauthorized\tr3`,
    `4\t${NOON}\t\t12 more were too many at once\t\t`,
    '',
  ]);
});

test('programs get a line of JSON for each, and only the newest with a limit', async () => {
  const { place, records } = await given();
  const { code, out } = await place.run('audit', 'refusals', '--json', '--limit', '2');
  expect(code).toBe(0);
  const lines = out.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toStrictEqual([
    { position: 3, ...records[2] },
    { position: 4, ...records[3] },
  ]);
});

test('no line of JSON controls a terminal', async () => {
  const place = new Place();
  await place.run('keys', 'create', '--name', 'the warehouse');
  const refusal = {
    at: NOON,
    method: 'GET',
    path: '/\u009b2J',
    code: 'unauthorized',
    requestId: 'r',
  };
  const store = await place.open();
  await store.refusals.append([refusal as RefusalRecord]);
  await store.close();
  const { out } = await place.run('audit', 'refusals', '--json');
  expect(out).toContain(String.raw`"/\u009b2J"`);
});

test('standard error says if there are older ones, and how to list them', async () => {
  const { place } = await given();
  const errOf = async (...options: string[]) =>
    (await place.run('audit', 'refusals', ...options)).err;
  const all = 'listed; --limit 4 lists all of them.\n';
  expect(await errOf('--limit', '3')).toBe(`Only the newest 3 refusals are ${all}`);
  expect(await errOf('--limit', '1', '--json')).toBe(`Only the newest refusal is ${all}`);
  expect(await errOf('--limit', '4')).toBe('');
  expect(await errOf('--json')).toBe('');
});

test('a terminal shows a table', async () => {
  const { place } = await given();
  place.columns = 200;
  const { out } = await place.runOnTerminal('audit', 'refusals');
  expect(stripVTControlCharacters(out)).toMatch(/^position {2}at {22}/);
  expect(out).toContain('order_already_shipped');
});

test('the list is empty without refusals', async () => {
  const place = new Place();
  expect(await place.run('audit', 'refusals')).toMatchObject({ code: 0, out: `${HEAD}\n` });
});

test.each(['0', '-1', 'ten', '99999999'])('a limit of %s is refused', async (limit) => {
  const { code, err } = await new Place().run('audit', 'refusals', '--limit', limit);
  expect([code, err]).toEqual([2, expect.stringContaining('It must be a whole number from 1')]);
});
