import { randomUUID } from 'node:crypto';
import { Epochs } from '../../app/log/epochs.ts';
import type { Store } from '../../app/ports/store.ts';
import { Writer } from '../../app/write/writer.ts';
import { MemoryEventLog } from './event-log.ts';
import { MemoryKeyStore } from './key-store.ts';
import { MemoryRefusals } from './refusals.ts';
import { MemorySigningKeys } from './signing-keys.ts';

const NOTHING_KEPT = { kind: 'none', reason: 'the log itself is gone' } as const;

/** A store in memory, with its writer in the same thread. */
export async function openMemoryStore(): Promise<Store> {
  const log = new MemoryEventLog();
  const epochs = new Epochs(randomUUID());
  return {
    id: epochs.storeId,
    epochs,
    log,
    trail: log.trail,
    refusals: new MemoryRefusals(),
    writer: await Writer.open(log),
    inDoubt: 'stop',
    // Nothing was folded that its own log does not hand over at the first append.
    begin: async () => {},
    keys: new MemoryKeyStore(),
    signingKeys: new MemorySigningKeys(),
    snapshots: { load: async () => NOTHING_KEPT },
    close: () => log.close(),
  };
}
