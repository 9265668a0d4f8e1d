import type { RequestListener } from 'node:http';
import { mintKeyText } from '../../src/app/api-key.ts';
import { now } from '../../src/app/clock.ts';
import { acceptKey } from '../../src/app/first-key.ts';
import type { BatchWriter } from '../../src/app/ports/batch-writer.ts';
import type { EventLog, EventLogReader } from '../../src/app/ports/event-log.ts';
import type { KeyStore } from '../../src/app/ports/key-store.ts';
import type { Store } from '../../src/app/ports/store.ts';
import { Writer } from '../../src/app/writer.ts';
import { MemoryEventLog } from '../../src/infra/memory/memory-event-log.ts';
import { MemoryKeyStore } from '../../src/infra/memory/memory-key-store.ts';
import { openMemoryStore } from '../../src/infra/memory/memory-store.ts';
import type { StoreUnderTest } from '../kit/targets/store.ts';
import { appOn, listenerOn } from '../support/targets.ts';

/** One fault: a switch around a real part, or several. What it does not name stays as it is. */
export interface Mutant {
  readonly name: string;
  /** What the write side appends to. `disk` is what is there after a restart. */
  log?(disk: MemoryEventLog): EventLog;
  /** What the read side is made from. */
  reader?(log: EventLogReader): EventLogReader;
  writer?(writer: BatchWriter, log: EventLog): BatchWriter;
  keys?(keys: KeyStore): KeyStore;
  /** What stands before the real HTTP application. */
  http?(app: RequestListener, key: string): RequestListener;
  /** What a restart finds on the disk. */
  restarted?(disk: MemoryEventLog): Promise<MemoryEventLog>;
}

/** The real service, but for the fault. */
async function mutatedStore(
  mutant: Mutant,
  disk = new MemoryEventLog(),
  keyStore: KeyStore = new MemoryKeyStore(),
): Promise<Store> {
  const log = mutant.log?.(disk) ?? disk;
  const writer = await Writer.open(log);
  return {
    ...(await openMemoryStore()),
    log: mutant.reader?.(log) ?? log,
    writer: mutant.writer?.(writer, log) ?? writer,
    keys: mutant.keys?.(keyStore) ?? keyStore,
    close: () => log.close(),
  };
}

/** The application, which a restart ends as kill -9 does. */
export async function mutatedApp(
  mutant: Mutant,
  disk = new MemoryEventLog(),
): Promise<StoreUnderTest> {
  const store = await mutatedStore(mutant, disk);
  return appOn(store, async () => {
    return mutatedApp(mutant, (await mutant.restarted?.(disk)) ?? disk);
  });
}

/** The HTTP application, with a key and another one that was revoked. */
export async function mutatedListener(mutant: Mutant) {
  const keys = new MemoryKeyStore();
  const [key, revokedKey] = [mintKeyText(), mintKeyText()];
  for (const text of [key, revokedKey]) await acceptKey(keys, text, now());
  await keys.revoke(revokedKey.slice(4, 14), now());
  const app = listenerOn(await mutatedStore(mutant, new MemoryEventLog(), keys));
  return { listener: mutant.http?.(app, key) ?? app, key, revokedKey };
}
