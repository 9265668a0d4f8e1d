/** The form of a break, as the service writes it into a statement: the types of all members. */

import { isInstant } from '../../domain/instant.ts';
import type { Break, BreakReason } from './epochs.ts';

const REASONS: readonly BreakReason[] = ['copy_continued', 'loss_accepted'];
const ROOT = /^[\w+/]{43}=$/;
const EPOCH_ID = /^\d+(?:\.[0-9a-f]{32})?$/;
const IDS = /^\d{1,19}$/;

/** Returns true if all members are of their types. They are shown on terminals and compared. */
export function isBreak(read: Break): boolean {
  const { epoch, position, positionsUpTo, known, root, at, reason, idsUpTo } = read;
  const before = known ?? { epoch: '0', position, root };
  return (
    [epoch, position, positionsUpTo ?? 0, before.position].every(isCount) &&
    [root, before.root ?? root].every((text) => isText(text, ROOT)) &&
    isText(before.epoch, EPOCH_ID) &&
    isText(idsUpTo, IDS) &&
    REASONS.includes(reason) &&
    isInstant(at)
  );
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isText(value: unknown, form: RegExp): boolean {
  return typeof value === 'string' && form.test(value);
}
