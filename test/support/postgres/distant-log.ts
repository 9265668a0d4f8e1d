import { onTestFinished } from 'vitest';
import type { KeptOutcome } from '../../../src/app/ports/event-log.ts';
import type { OrderId } from '../../../src/domain/order-id.ts';
import { Database } from '../../../src/infra/postgres/database.ts';
import { PostgresEventLog } from '../../../src/infra/postgres/postgres-event-log.ts';
import { newDatabase } from './databases.ts';
import { Network } from './network.ts';

/** What may be kept with an event: an append that asks for it locks the log first. */
export const KEPT: KeptOutcome = {
  by: 'alice',
  key: 'a',
  fingerprint: 'f',
  decided: { kind: 'accepted', orderId: 1n as OrderId, version: 1 },
};

/** A log that is reached through a network, and another handle that needs none. */
export async function openDistantLog(settleWithin?: number) {
  const url = await newDatabase();
  const network = await Network.start(Number(new URL(url).port));
  const log = new PostgresEventLog(
    new Database(network.through(url)),
    undefined,
    undefined,
    settleWithin,
  );
  const beside = new PostgresEventLog(new Database(url));
  onTestFinished(async () => {
    network.isOpen = true;
    await log.close();
    await beside.close();
    await network[Symbol.asyncDispose]();
  });
  return { url, network, log, beside };
}
