/** The batches in flight: their commands, and the states that the pipeline can be in. */

import type { Outcome } from '../../log/submission.ts';
import type { WaitingRequest } from './waiting-request.ts';

export interface Batch {
  /** Latecomers are added at the end. */
  readonly requests: WaitingRequest[];
  /** The number of their commands. */
  size: number;
  readonly isHalf: boolean;
  readonly recorded: Promise<Recorded>;
}

export interface Recorded {
  readonly outcomes: readonly Outcome[];
  /** The reason to record nothing behind this batch; undefined if there is none. */
  readonly doubt: string | undefined;
}

/** A batch is in flight from when it is sent to the writer until it is recorded. */
export type State =
  | { readonly kind: 'idle' }
  /** Whatever arrives in the same turn of the event loop joins the first batch. */
  | { readonly kind: 'gathering' }
  | { readonly kind: 'one in flight'; readonly first: Batch }
  /** Whatever arrives in the same turn joins the second batch, too. */
  | { readonly kind: 'gathering second'; readonly first: Batch }
  | { readonly kind: 'two in flight'; readonly first: Batch; readonly second: Batch }
  /** Every command is refused. A second batch may have been in flight when the first one failed. */
  | { readonly kind: 'stopped'; readonly cause: string; readonly first: Batch | undefined };

/** Returns the batch that was sent first, if one is in flight. */
export function firstOf(state: State): Batch | undefined {
  return 'first' in state ? state.first : undefined;
}
