/**
 * The file of a follower: how far it has come, and the events that it has put aside. It is replaced as
 * a whole and flushed to the disk, so that after a crash it is as it was before or after a change.
 */

import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { UserError } from '../../app/lifecycle/user-error.ts';
import type { OrderEvent } from '../../client/client.ts';
import { jsonIn, plainTextOf } from '../../infra/process/small-file.ts';
import { tryWhole, writeWhole } from './new-file.ts';

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
  /** The position up to which all events have been delivered or parked; in a cut log `EPOCH:POSITION`. */
  readonly after: string;
  /** The log of the events, as their `source` names it; absent until there was one. */
  readonly log?: string | undefined;
  readonly parked: readonly Parked[];
}

/** Returns the contents of the file; `undefined` if there is none. Throws {@link UserError}. */
export function readFollowed(file: string): Followed | undefined {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    // It is replaced as a whole, which only a file can be; and a device may have no end.
    if (!stats.isFile()) throw new Error('it is not a file');
    return followedIn(plainTextOf(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new UserError(`The checkpoint ${file} cannot be read: ${(error as Error).message}`);
  }
}

export async function writeFollowed(file: string, followed: Followed): Promise<void> {
  await writeWhole(file, [textOf(followed)], { force: true });
}

/** Throws {@link UserError} if the file cannot be written now; leaves it as it is. */
export async function requireWritableFollowed(file: string, followed: Followed): Promise<void> {
  await tryWhole(file, textOf(followed));
}

function textOf(followed: Followed): string {
  return `${JSON.stringify(followed)}\n`;
}

const FollowedFile = z.object({
  after: z.string().regex(/^(?:\d+(?:\.[\da-f]{8})?:)?\d+$/),
  log: z.string().optional(),
  parked: z.array(
    z.object({
      event: z.looseObject({
        id: z.string(),
        type: z.string(),
        source: z.string(),
        subject: z.string(),
        position: z.number(),
      }),
      at: z.string(),
      tries: z.number(),
      reason: z.string(),
    }),
  ),
});

function followedIn(text: string): Followed {
  const value = jsonIn(text);
  const read = FollowedFile.safeParse(value);
  // As it was read: the schema's own copy has the members of an event in another order.
  if (read.success) return value as Followed;
  const [{ path }] = read.error.issues as [z.core.$ZodIssue];
  const what = path.length === 0 ? 'it' : `its member ${path.join('.')}`;
  throw new Error(`${what} is not as a follower writes it`);
}
