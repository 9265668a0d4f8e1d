import type { RequestListener } from 'node:http';
import { now } from '../../src/app/clock.ts';
import { mintKeyText } from '../../src/app/keys/api-key.ts';
import { acceptKey } from '../../src/app/keys/first-key.ts';
import type { BatchWriter } from '../../src/app/ports/batch-writer.ts';
import type { EventLog, EventLogReader } from '../../src/app/ports/event-log.ts';
import type { KeyStore } from '../../src/app/ports/key-store.ts';
import type { Store } from '../../src/app/ports/store.ts';
import { Writer } from '../../src/app/write/writer.ts';
import { MemoryEventLog } from '../../src/infra/memory/event-log.ts';
import { MemoryKeyStore } from '../../src/infra/memory/key-store.ts';
import { openMemoryStore } from '../../src/infra/memory/store.ts';
import type { StoreUnderTest } from '../kit/targets/store.ts';
import { appOn, listenerOn } from '../support/targets.ts';

/** One fault: a switch around a real part, or several. What it does not name stays as it is. */
export interface Mutant {
  readonly name: string;
  /** The log that the write side appends to. After a restart, `disk` is all there is. */
  log?(disk: MemoryEventLog): EventLog;
  /** The log that the read side is folded from. */
  reader?(log: EventLogReader): EventLogReader;
  writer?(writer: BatchWriter, log: EventLog): BatchWriter;
  keys?(keys: KeyStore): KeyStore;
  /** The handler in front of the real HTTP application. */
  http?(app: RequestListener, key: string): RequestListener;
  /** The log that a restart finds on the disk. */
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
