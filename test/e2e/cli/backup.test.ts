import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
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

test('of several at once for one file, one makes it, and the others find it there', async () => {
  const place = new Place();
  await place.run('import', place.write('orders.csv', 'id,petId,quantity\n1,2,3\n4,5,6\n'));
  const to = place.file('backup.db');
  const runs = await Promise.all([1, 2, 3].map(() => place.run('backup', to)));
  const [made, ...others] = runs.toSorted((one, other) => one.code - other.code);
  expect(made).toMatchObject({ code: 0, err: '' });
  for (const { code, err } of others) {
    expect([code, err]).toEqual([
      1,
      `store-orders: ${to} is there already and was left as it is.\n`,
    ]);
  }
  const copy = openSqliteForCommandLine(to);
  expect(await copy.log.head()).toBe(2);
  await copy.close();
  expect(readdirSync(place.folder).filter((name) => name.includes('unfinished'))).toEqual([]);
});

test('a signal ends it with nothing left of the copy', async () => {
  const place = new Place();
  const rows = Array.from({ length: 20_000 }, (_, index) => `${index},7,1\n`).join('');
  await place.run('import', place.write('orders.csv', `id,petId,quantity\n${rows}`));
  const to = place.file('backup.db');
  const isBegun = new Promise<void>((resolve) => {
    const watcher = watch(place.folder, (_, name) => {
      if (!name?.startsWith('backup.db')) return;
      watcher.close();
      resolve();
    });
  });
  const run = place.run('backup', to);
  await isBegun;
  process.emit('SIGINT');
  const { code, out, err } = await run;
  expect([code, out, err]).toEqual([1, '', 'store-orders: Stopped before it was done.\n']);
  expect(readdirSync(place.folder).filter((name) => name.startsWith('backup.db'))).toEqual([]);
});

test('of a link, the file that it leads to is made, and the link stays', async () => {
  const place = new Place();
  await place.run('import', place.write('orders.csv', 'id,petId,quantity\n1,2,3\n'));
  const [to, target] = [place.file('latest.db'), place.file('disk/monday.db')];
  mkdirSync(dirname(target));
  symlinkSync('disk/monday.db', to);
  const { code, out } = await place.run('backup', to);
  expect([code, out]).toEqual([0, `Wrote ${to}, ${statSync(target).size} bytes.\n`]);
  expect(lstatSync(to).isSymbolicLink()).toBe(true);
  expect((await place.run('backup', to)).err).toContain('is there already');
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
