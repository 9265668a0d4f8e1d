import { expect, it, vi } from 'vitest';
import { foldSourceOf } from '../../../src/app/read/fold-source-of-log.ts';
import { Projector } from '../../../src/app/read/projector.ts';
import { OrderList } from '../../../src/app/state/order-list.ts';
import { fast } from '../../../src/infra/events/fast-path.ts';
import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { openLog } from '../../../src/infra/sqlite/event-log.ts';
import { openSqliteForCommandLine } from '../../../src/infra/sqlite/store.ts';
import { cancelled, newEvent, placed, shipped } from '../../support/events.ts';
import { temporaryFile } from '../../support/folder.ts';
import { tamper } from '../../support/tampering.ts';
import { eventLogContract } from '../event-log.ts';
import { foldSourceContract } from '../fold-source.ts';

/** The suites that read events, where src/infra/events/fast is not there. */
vi.mock('../../../src/infra/events/fast-path.ts', () => ({ fast: undefined }));

it('There is no fast path here', () => {
  expect(fast).toBeUndefined();
});

eventLogContract('SQLite without the fast path', async () => {
  const file = temporaryFile();
  return async () => openLog(file, openDatabase(file));
});

foldSourceContract('SQLite without the fast path', async () => {
  const file = temporaryFile();
  const store = openSqliteForCommandLine(file);
  return {
    ...store,
    foldSource: store.foldSource ?? foldSourceOf(store.log),
    tamper: async (sql) => tamper(file, (db) => db.exec(sql('events'))),
  };
});

it('A projector without the fast path keeps a list up with its log', async () => {
  const { log, foldSource, close } = openSqliteForCommandLine(temporaryFile());
  const list = new OrderList((orders) => orders);
  const projector = new Projector(log, list, foldSource);
  await log.append(0, () => [newEvent(placed(1n)), newEvent(placed(2n)), newEvent(shipped(2n), 2)]);
  await projector.catchUp();
  await log.append(3, () => [newEvent(cancelled(1n), 2)]);
  await projector.catchUp();
  expect([1n, 2n].map((id) => list.get(id as never)?.status)).toStrictEqual([
    'cancelled',
    'shipped',
  ]);
  await close();
});
