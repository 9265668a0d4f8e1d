import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openSqliteForCommandLine } from '../../src/infra/sqlite/sqlite-store.ts';
import { Place } from './command-line.ts';

test('a backup holds everything, although nothing was closed or copied by hand', async () => {
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

test('a file that is there already is left as it was', async () => {
  const place = new Place();
  const to = place.write('precious.txt', 'precious');
  const { code, out, err } = await place.run('backup', to);
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain(`${to} is there already`);
  expect(readFileSync(to, 'utf8')).toBe('precious');
});

test('a folder that does not exist is a failure that says so', async () => {
  const place = new Place();
  const { code, err } = await place.run('backup', place.file('nowhere/backup.db'));
  expect(code).toBe(1);
  expect(err).toContain('directory does not exist');
});

test('a copy that is not what was recorded is removed, and the exit code says so', async () => {
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
  // Nor does any other command tell what is not true.
  for (const command of [['replay'], ['audit', 'show', '1']]) {
    const told = await place.run(...command);
    expect([told.code, told.out], command.join(' ')).toEqual([1, '']);
    expect(told.err).toContain('not what was recorded');
  }
  expect((await place.run('verify')).code).toBe(3);
});
