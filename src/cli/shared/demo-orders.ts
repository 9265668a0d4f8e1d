/** Fills the store of a demo with a year of orders, decided as the commands of clients are. */

import { randomUUID } from 'node:crypto';
import { hashKeyText, mintKeyText } from '../../app/keys/api-key.ts';
import { keyRecord } from '../../app/keys/first-key.ts';
import type { NewEvent } from '../../app/log/recorded-event.ts';
import type { EventLog, KeptOutcomes } from '../../app/ports/event-log.ts';
import { type KeyStore, SCOPES } from '../../app/ports/key-store.ts';
import { OrderImage } from '../../app/state/order-image.ts';
import { decideOnce } from '../../app/write/decisions.ts';
import { OrderDraft } from '../../app/write/order-draft.ts';
import { type Instant, instantAt } from '../../domain/instant.ts';
import { type DatedCommand, DEMO_KEYS, demoYear } from './demo-year.ts';

const YEAR_MS = 366 * 86_400_000;

/**
 * Fills an empty store with the year before a moment, and adds the keys behind its events. Returns the
 * text of a further key with every scope, which is to be shown.
 */
export async function fillDemo(
  { log, keys }: { readonly log: EventLog; readonly keys: KeyStore },
  nowMs: number,
): Promise<string> {
  const [now, begin] = [nowMs, nowMs - YEAR_MS].map((ms) => instantAt(ms) as Instant);
  for (const [id, name] of Object.entries(DEMO_KEYS)) {
    // Nobody has the text of such a key, so that it opens nothing.
    const hash = hashKeyText(mintKeyText());
    const scopes = ['orders:read', 'orders:write', 'orders:cancel'] as const;
    await keys.add({ id, name, hash, scopes, createdAt: begin as Instant });
  }
  // All events in one append: an append for each would take seconds.
  const year = demoYear(nowMs);
  const result = await log.append(0, (_newer, kept) => decideAll(year, kept));
  if (result.kind !== 'appended') throw new Error('the orders of the demo were not recorded');
  const text = mintKeyText();
  await keys.add(keyRecord(text, { name: 'first', scopes: SCOPES, createdAt: now as Instant }));
  return text;
}

/** Decides each command on what the ones before it have left. None may be refused. */
function decideAll(year: readonly DatedCommand[], kept: KeptOutcomes): readonly NewEvent[] {
  const draft = new OrderDraft(new OrderImage());
  const events: NewEvent[] = [];
  for (const { atMs, by, command } of year) {
    const request = [{ command, by, commandId: randomUUID() }];
    const [decided] = decideOnce(kept, request, draft, instantAt(atMs) as Instant, events);
    if (decided?.kind !== 'accepted') throw new Error(`the demo's ${command.type} was refused`);
  }
  return events;
}
