import { expect, it, onTestFinished } from 'vitest';
import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { PostgresRefusals } from '../../../src/infra/postgres/refusals.ts';
import { newDatabase } from '../../support/postgres/databases.ts';
import { sql } from '../../support/postgres/sql.ts';
import { refusal, refusalTrailContract } from '../refusal-trail.ts';

async function opened(most = 1_000_000, url?: string): Promise<PostgresRefusals> {
  const address = url ?? (await newDatabase());
  await sql(
    address,
    `CREATE OR REPLACE FUNCTION store_orders.kept_refusals() RETURNS bigint
       LANGUAGE sql IMMUTABLE AS 'SELECT ${most}::bigint'`,
  );
  const db = new Database(address);
  onTestFinished(() => db.close());
  return new PostgresRefusals(db);
}

refusalTrailContract('PostgreSQL', opened);

it('several instances record refusals at once, without a gap', async () => {
  const url = await newDatabase();
  const trails = [await opened(1_000, url), await opened(1_000, url)];
  await Promise.all(
    Array.from({ length: 40 }, (_, number) => trails[number % 2]?.append([refusal(number)])),
  );
  const kept = (await trails[0]?.newest(100)) ?? [];
  expect(kept.map(({ position }) => position)).toStrictEqual(
    Array.from({ length: 40 }, (_, index) => index + 1),
  );
});

it('the database refuses changes and deletions of its records', async () => {
  const url = await newDatabase();
  const trail = await opened(3, url);
  await trail.append([1, 2, 3, 4].map(refusal));
  for (const query of [
    `UPDATE store_orders.refusals SET record = '{}' WHERE position = 2`,
    'DELETE FROM store_orders.refusals WHERE position = 2',
    'DELETE FROM store_orders.refusals WHERE position = 4',
    'DELETE FROM store_orders.refusals',
    'TRUNCATE store_orders.refusals',
    `INSERT INTO store_orders.refusals VALUES (9, '{}')`,
    `INSERT INTO store_orders.refusals VALUES (1, '{}')`,
  ]) {
    await expect(sql(url, query), query).rejects.toThrow('refusals is append-only');
  }
});
