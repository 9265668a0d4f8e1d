/** The state of a monitor between two rounds, as the text of its file. */

import { isInstant } from '../../../domain/instant.ts';
import { epochNumberOf } from '../../log/epochs.ts';
import { Frontier } from '../../log/merkle-tree.ts';
import { byAnyKey } from '../proofs/by-any-key.ts';
import { type Checkpoint, type Verdict, verifyCheckpoint } from '../proofs/verifier.ts';
import type { CheckedEvents } from './record-check.ts';

export interface MonitorState {
  /** The last checkpoint that was verified, signed, as the log has sent it. */
  readonly note: string;
  readonly checkpoint: Checkpoint;
  /** The right edge of its tree: see {@link Frontier.pack}. */
  readonly edge: Buffer;
  /** The events whose records were checked; absent if none ever was. */
  readonly checked?: CheckedEvents | undefined;
}

const FORMAT = 'store-orders/monitor/v1';

export function writeState({ note, edge, checked }: MonitorState): string {
  const text = { format: FORMAT, checkpoint: note, edge: edge.toString('base64'), checked };
  return `${JSON.stringify(text)}\n`;
}

/** Reads the result of {@link writeState}. Its checkpoint must be signed with one of the keys. */
export function readState(text: string, keys: readonly string[]): Verdict<MonitorState> {
  let edge: Frontier;
  let parts: Record<string, unknown>;
  try {
    parts = Object(JSON.parse(text));
    edge = Frontier.unpack(Buffer.from(String(parts.edge), 'base64'));
  } catch {
    return refused('it is not the state of a monitor');
  }
  const { format, checkpoint: note, checked } = parts;
  if (format !== FORMAT || typeof note !== 'string' || !areChecked(checked))
    return refused('its format is another');
  const signed = byAnyKey(keys, (key) => verifyCheckpoint(note, key));
  if (!signed.ok) return refused(`its checkpoint: ${signed.reason}`);
  const checkpoint = signed.value;
  if (checkpoint.size !== edge.size || !edge.root().equals(checkpoint.root)) {
    return refused('its edge is not that of its checkpoint');
  }
  return { ok: true, value: { note, checkpoint, edge: edge.pack(), checked } };
}

function areChecked(value: unknown): value is CheckedEvents | undefined {
  if (value === undefined) return true;
  const { events, at, digest } = Object(value) as Record<keyof CheckedEvents, unknown>;
  const isCount = Number.isSafeInteger(events) && Number(events) >= 0;
  return isCount && typeof digest === 'string' && (at === '' || isInstant(String(at)));
}

function refused(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}

/** Returns the name of a checkpoint's log, without its epoch. */
function baseOf({ origin, epoch }: Checkpoint): string {
  return origin.replace(`+${epoch}`, '');
}

/**
 * States why a checkpoint cannot be compared with the known one: it is of another log, or of an epoch
 * that the known one has left. Returns `undefined` if it can be.
 */
export function strangeness(known: Checkpoint, seen: Checkpoint): string | undefined {
  if (baseOf(seen) !== baseOf(known)) {
    return `the checkpoint is of ${baseOf(seen)}, and the state of ${baseOf(known)}`;
  }
  const isEarlier = epochNumberOf(seen.epoch) <= epochNumberOf(known.epoch);
  if (seen.epoch === known.epoch || !isEarlier) return undefined;
  return `the checkpoint is of epoch ${seen.epoch}, and the state of epoch ${known.epoch}`;
}
