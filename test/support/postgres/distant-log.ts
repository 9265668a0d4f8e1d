import { onTestFinished } from 'vitest';
import type { KeptOutcome } from '../../../src/app/ports/event-log.ts';
import type { OrderId } from '../../../src/domain/order-id.ts';
import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { PostgresEventLog } from '../../../src/infra/postgres/event-log.ts';
import { newDatabase } from './databases.ts';
import { Network } from './network.ts';

/** Records that may be stored with an event. An append with them locks the log first. */
export const KEPT: KeptOutcome = {
  by: 'alice',
  key: 'a',
  fingerprint: 'f',
  decided: { kind: 'accepted', orderId: 1n as OrderId, version: 1 },
};

/** A log behind a simulated network, and a second handle that bypasses the network. */
export async function openDistantLog(maxSearchMs?: number) {
  const url = await newDatabase();
  const network = await Network.start(Number(new URL(url).port));
  const log = new PostgresEventLog(new Database(network.through(url)), {
    ...(maxSearchMs !== undefined && { maxSearchMs }),
  });
  const beside = new PostgresEventLog(new Database(url));
  onTestFinished(async () => {
    network.isOpen = true;
    await log.close();
    await beside.close();
    await network[Symbol.asyncDispose]();
  });
  return { url, network, log, beside };
}
