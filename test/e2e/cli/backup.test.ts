import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openSqliteForCommandLine } from '../../../src/infra/sqlite/store.ts';
import { Place } from '../../support/command-line.ts';

test('a backup of an open store is complete', async () => {
  const place = new Place();
  await place.run('import', place.write('orders.csv', 'id,petId,quantity\n1,2,3\n4,5,6\n'));
  const beside = await place.open();
  const to = place.file('backup.db');
  const { code, out, err } = await place.run('backup', to);
  expect([code, err]).toEqual([0, '']);
  expect(out).toBe(`Wrote ${to}, ${statSync(to).size} bytes.\n`);
  const copy = openSqliteForCommandLine(to);
  expect(await copy.log.head()).toBe(2);
  await copy.close();
  await beside.close();
});

test('an existing file is not overwritten', async () => {
  const place = new Place();
  const to = place.write('precious.txt', 'precious');
  const { code, out, err } = await place.run('backup', to);
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain(`${to} is there already`);
  expect(readFileSync(to, 'utf8')).toBe('precious');
});

test('a missing folder is reported', async () => {
  const place = new Place();
  const { code, err } = await place.run('backup', place.file('nowhere/backup.db'));
  expect(code).toBe(1);
  expect(err).toContain('directory does not exist');
});

test('a copy that differs from the recorded events is removed, with exit code 1', async () => {
  const place = new Place();
  await place.run('import', place.write('orders.csv', 'id,petId,quantity\n1,1016,3\n'));
  const file = place.file('store.db');
  const bytes = readFileSync(file);
  const at = bytes.indexOf('"petId":"1016"');
  bytes.writeUInt8(bytes.readUInt8(at + 11) ^ 2, at + 11);
  writeFileSync(file, bytes);
  const to = place.file('backup.db');
  const { code, out, err } = await place.run('backup', to);
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain('the copy is not what was recorded, and was removed: events 1 to 1 are');
  expect(existsSync(to)).toBe(false);
  // No other command accepts the damaged store either.
  for (const command of [['replay'], ['audit', 'show', '1']]) {
    const told = await place.run(...command);
    expect([told.code, told.out], command.join(' ')).toEqual([1, '']);
    expect(told.err).toContain('not what was recorded');
  }
  expect((await place.run('verify')).code).toBe(3);
});
