/**
 * The file of a follower: how far it has come, and the events that it has put aside. It is replaced as
 * a whole and flushed to the disk, so that after a crash it is as it was before or after a change.
 */

import { readFileSync } from 'node:fs';
import { CannotStart } from '../../app/lifecycle/cannot-start.ts';
import type { OrderEvent } from '../../client/client.ts';
import { writeWhole } from './new-file.ts';

/** An event that was put aside, so that those of other orders can be delivered. */
export interface Parked {
  readonly event: OrderEvent;
  readonly at: string;
  /** The attempts to deliver it; 0 for one that waits behind an earlier event of its order. */
  readonly tries: number;
  readonly reason: string;
}

/** The contents of the file. */
export interface Followed {
  /** The position up to which all events have been delivered or parked. */
  readonly after: string;
  /** The `source` of the events; absent until there was one. */
  readonly log?: string | undefined;
  readonly parked: readonly Parked[];
}

/** Returns the contents of the file; `undefined` if there is none. Throws {@link CannotStart}. */
export function readFollowed(file: string): Followed | undefined {
  try {
    return followedIn(readFileSync(file, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new CannotStart(`The checkpoint ${file} cannot be read: ${message}`);
  }
}

export async function writeFollowed(file: string, followed: Followed): Promise<void> {
  await writeWhole(file, [`${JSON.stringify(followed)}\n`], { force: true });
}

function followedIn(text: string): Followed {
  const { after, log, parked } = Object(JSON.parse(text)) as Partial<Followed>;
  if (typeof after !== 'string' || !Array.isArray(parked)) throw new Error('it is none');
  return { after, log, parked };
}
