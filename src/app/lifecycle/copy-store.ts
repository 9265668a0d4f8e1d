/** Copies a store from one engine to another. */

import { treeRoot } from '../log/merkle-proofs.ts';
import type { TreeHead } from '../log/merkle-tree.ts';
import type { OutcomeName } from '../ports/event-log.ts';
import type { KeyStore } from '../ports/key-store.ts';
import { MAX_REFUSALS } from '../ports/refusal-trail.ts';
import type { SigningKeys } from '../ports/signing-keys.ts';
import type { StoreCopy, StoreOriginal } from '../ports/store-copy.ts';
import { UserError } from './user-error.ts';

/** The events, outcomes or refusals copied at once. */
const CHUNK_RECORDS = 2_000;

/**
 * Copies everything in a store, and checks that both logs have the same root. A copy that was
 * interrupted is continued. Throws {@link UserError} for the unfinished copy of another log, before
 * anything is changed.
 * @param advanced Called after every chunk with the number of events copied.
 * @returns The head of the log, which is the same in both stores.
 */
export async function copyStore(
  from: StoreOriginal,
  to: StoreCopy,
  advanced: (events: number) => void,
): Promise<TreeHead> {
  await refuseOther(from, to);
  const epochs = await from.beginDueEpoch(to.copyId);
  await copyEvents(from, to, advanced);
  await copyOutcomes(from, to);
  await copyKeys(from.keys, to.keys);
  await copySigningKeys(from.signingKeys, to.signingKeys);
  await copyRefusals(from, to);
  await requireUnchanged(from, to);
  await to.enter(epochs);
  await from.handOver(to.copyId);
  // From the handover on, no service appends to it any more.
  const copy = await requireUnchanged(from, to);
  await to.finish();
  return copy;
}

/** Returns the head of the copy. Throws {@link UserError} if the original has another. */
async function requireUnchanged(from: StoreOriginal, to: StoreCopy): Promise<TreeHead> {
  const [original, copy] = [await from.trail.treeHead(), await to.trail.treeHead()];
  // Logs of different sizes have different roots.
  if (hex(original.root) === hex(copy.root)) return copy;
  throw new UserError(
    `The store of ${copy.size} events has changed while it was copied: it has ${original.size}. ` +
      'Stop everything that uses it, and run the same command again: it continues from here.',
  );
}

/** Throws if the events in the copy are not the first ones of the log. */
async function refuseOther(from: StoreOriginal, to: StoreCopy): Promise<void> {
  const [original, copy] = [await from.trail.treeHead(), await to.trail.treeHead()];
  const isPart =
    copy.size <= original.size && hex(await treeRoot(copy.size, from.trail)) === hex(copy.root);
  if (!isPart) {
    throw new UserError(
      `The copy has ${copy.size} events that are not those of the store. Nothing was changed.`,
    );
  }
}

async function copyEvents(
  from: StoreOriginal,
  to: StoreCopy,
  advanced: (events: number) => void,
): Promise<void> {
  let { size } = await to.trail.treeHead();
  for (;;) {
    const events = await from.trail.stored(size, CHUNK_RECORDS);
    if (events.length === 0) return;
    const traces = await from.trail.traces(events.map(({ position }) => position));
    await to.append(events, traces);
    size += events.length;
    advanced(size);
  }
}

async function copyOutcomes(from: StoreOriginal, to: StoreCopy): Promise<void> {
  let after: OutcomeName = { by: '', key: '' };
  for (;;) {
    const outcomes = await from.keptOutcomes(after, CHUNK_RECORDS);
    const last = outcomes.at(-1);
    if (last === undefined) return;
    await to.keep(outcomes);
    after = last;
  }
}

async function copyKeys(from: KeyStore, to: KeyStore): Promise<void> {
  for (const key of await from.list()) {
    if (await to.add(key)) continue;
    // It was copied before, and may have been revoked or limited since.
    if (key.revokedAt !== undefined) await to.revoke(key.id, key.revokedAt);
    await to.limit(key.id, key.limits ?? {});
  }
}

async function copySigningKeys(from: SigningKeys, to: SigningKeys): Promise<void> {
  // One that was copied before is not added again: see add.
  for (const [index, key] of (await from.list()).entries()) await to.add(key, index);
}

// Last of all, so that an interrupted copy has none twice.
async function copyRefusals(from: StoreOriginal, to: StoreCopy): Promise<void> {
  const [there] = await to.refusals.newest(1);
  const refusals = await from.refusals.newest(MAX_REFUSALS);
  // The copy numbers them from 1, so its last position is the number that was copied before.
  const due = refusals.slice(there?.position ?? 0).map(({ record }) => record);
  for (let at = 0; at < due.length; at += CHUNK_RECORDS) {
    await to.refusals.append(due.slice(at, at + CHUNK_RECORDS));
  }
}

function hex(root: Uint8Array): string {
  return Buffer.from(root).toString('hex');
}
