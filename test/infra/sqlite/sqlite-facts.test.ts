import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { FactSource } from '../../../src/app/ports/fact-source.ts';
import { FactsAhead } from '../../../src/infra/sqlite/facts-ahead.ts';
import { openSqliteForCommandLine } from '../../../src/infra/sqlite/sqlite-store.ts';
import { factSourceContract } from '../../contract/fact-source.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { tamper } from '../../support/tampering.ts';

const newFile = () => join(temporaryFolder(), 'store.db');

factSourceContract('SQLite', async () => {
  const file = newFile();
  const store = openSqliteForCommandLine(file);
  return {
    ...store,
    facts: store.facts as FactSource,
    tamper: async (sql) => tamper(file, (db) => db.exec(sql('events'))),
  };
});

it('The thread that reads ahead fails with its file, and comes again', async () => {
  const file = newFile();
  await openSqliteForCommandLine(file).close();
  const broken = new FactsAhead(`${file}-nowhere`, '|');
  await expect(broken.chunkAfter(0)).rejects.toThrow('unable to open database file');
  await expect(broken.chunkAfter(0)).rejects.toThrow('unable to open database file');
  await broken.close();
  // One that was never asked has nothing to give back.
  await new FactsAhead(file, '|').close();
});
