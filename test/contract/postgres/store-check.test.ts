import { beforeAll, describe, expect, it } from 'vitest';
import { verifyStore } from '../../../src/app/audit/trail/verify-store.ts';
import { Writer } from '../../../src/app/write/writer.ts';
import type { PetId } from '../../../src/domain/order-id.ts';
import { UNPACED } from '../../../src/infra/checking/keep-checking.ts';
import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { PostgresEventLog } from '../../../src/infra/postgres/event-log.ts';
import { openPostgresEvidence } from '../../../src/infra/postgres/evidence.ts';
import { PostgresKeyStore } from '../../../src/infra/postgres/key-store.ts';
import { PostgresRefusals } from '../../../src/infra/postgres/refusals.ts';
import { openPostgresStore } from '../../../src/infra/postgres/store.ts';
import { checkPostgresStore } from '../../../src/infra/postgres/store-check.ts';
import { NOON } from '../../support/events.ts';
import { newDatabase } from '../../support/postgres/databases.ts';
import { tamper } from '../../support/postgres/sql.ts';
import { fillHonestly } from '../../support/tampering.ts';

/** More than two chunks. */
const EVENTS = 4_900;

describe('the check of a store in PostgreSQL', () => {
  let url: string;
  beforeAll(async () => {
    url = await newDatabase();
    const db = new Database(url);
    const log = new PostgresEventLog(db);
    await fillHonestly(log, 7n, EVENTS);
    const keys = new PostgresKeyStore(db);
    const hash = Buffer.alloc(32, 1);
    await keys.add({ id: 'AbCdEfGh01', name: 'x', hash, scopes: [], createdAt: NOON });
    const command = { type: 'PlaceNewOrder', petId: 7n as PetId, quantity: 1 } as const;
    const writer = await Writer.open(log);
    await writer.execute([{ command, by: 'x', commandId: 'c', idempotencyKey: 'k' }]);
    const refusal = { at: NOON, code: 'not_found', method: 'GET', path: '/', requestId: 'r' };
    await new PostgresRefusals(db).append([refusal, refusal, refusal]);
    await log.close();
  });

  it('finds no damage in an intact store', async () => {
    await checkPostgresStore(url, UNPACED);
  });

  it.each([
    [
      `UPDATE events SET data = replace(data, '"petId":"7"', '"petId":"8"') WHERE position = 3000`,
      /^events 2817 to 3072 are not what was recorded/,
    ],
    [
      `UPDATE events SET metadata = replace(metadata, 'test', 'tesu') WHERE position = ${EVENTS}`,
      /^events 4897 to 490[01] are not what was recorded/,
    ],
    ['UPDATE events SET order_id = 99 WHERE position = 20', /^the event at position 20 is not/],
    ['DELETE FROM events WHERE position = 2500', /^the event at position 2500 is not/],
    [`UPDATE tree_nodes SET hash = '\\x00' WHERE place = 3`, /^events 769 to 1024 are not/],
    ['DELETE FROM tree_nodes WHERE place = 18', /^events 4609 to 4864 are not/],
    [`UPDATE api_keys SET name = '"y"'`, /^the row "AbCdEfGh01" of api_keys/],
    ['UPDATE kept_outcomes SET order_id = 1', /^the row "x k" of kept_outcomes/],
    [
      `UPDATE refusals SET record = replace(record, 'GET', 'PUT') WHERE position = 2`,
      /^the refusal at position 2/,
    ],
    ['DELETE FROM refusals WHERE position = 2', /^the refusal at position 2 is missing/],
    ['ALTER TABLE events DISABLE TRIGGER events_are_dense', /^the trigger events_are_dense/],
  ])('finds %s, and the place', async (change, problem) => {
    const name = new URL(url).pathname.slice(1);
    const copy = await newDatabase(18, name);
    await tamper(copy, change);
    await expect(checkPostgresStore(copy, UNPACED)).rejects.toMatchObject({ message: problem });
    // A start says so as well, before it is ready.
    const store = await openPostgresStore(
      copy,
      { lost() {}, impaired() {}, mended() {}, noticed() {} },
      0,
    ).catch((error: Error) => error);
    if (store instanceof Error) return;
    await expect(store.check?.once).rejects.toMatchObject({ message: problem });
    await store.close();
    const evidence = await openPostgresEvidence(copy);
    const { findings } = await verifyStore(evidence, [], async () => {});
    await evidence.close();
    if (!change.includes('refusals')) expect(findings).not.toEqual([]);
  });
});
