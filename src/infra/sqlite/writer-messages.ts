/**
 * The messages between the server's thread and the writer's thread. Batches and their outcomes
 * travel as one flat array of fields: cloning an array of strings and bigints takes a quarter of
 * the time of an array of objects, and each command is cloned twice. What the commands of a group
 * have in common stands before the first of them alone.
 */

import type { PackedImage } from '../../app/log/packed-fold.ts';
import { type Group, type Outcome, requestsIn, type Submission } from '../../app/log/submission.ts';
import type { Impairment } from '../../app/ports/impairment.ts';
import type { CheckpointCounters } from '../../app/ports/store.ts';

/** A message from the server's thread. */
export type ToWriter =
  /** Requests another attempt to open a file that could not be written. */
  | { readonly kind: 'open' }
  | { readonly kind: 'begin'; readonly image: PackedImage }
  | { readonly kind: 'execute'; readonly batch: Fields }
  | { readonly kind: 'close' };

/** A message to the server's thread. */
export type FromWriter =
  /** The file is locked, checked and migrated; others may read it. */
  | { readonly kind: 'opened'; readonly madeAt: string | undefined }
  /** The file cannot be written at this time. */
  | { readonly kind: 'waiting'; readonly reason: Impairment; readonly cause: string }
  /** The writer has its image and accepts batches. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'executed'; readonly outcomes: Fields }
  /** See {@link StoreWatcher}. */
  | { readonly kind: 'impaired'; readonly reason: Impairment; readonly cause: string }
  | { readonly kind: 'mended'; readonly reason: Impairment }
  | { readonly kind: 'noticed'; readonly message: string; readonly details: object }
  | { readonly kind: 'checkpointed'; readonly counters: CheckpointCounters }
  /** The store is being closed, and its `-wal` file must not be copied into its file. */
  | { readonly kind: 'wal_damaged' };

/** The fields of several objects, one after the other. */
type Fields = readonly unknown[];

type Command = Submission['command'];

/**
 * The names of an object's members, in the order in which they travel, without that of its kind.
 */
type Names<Type, Kind extends keyof Type> = {
  readonly [Name in Exclude<keyof Type, Kind>]-?: true;
};

const COMMANDS: {
  readonly [Type in Command['type']]: Names<Extract<Command, { type: Type }>, 'type'>;
} = {
  PlaceNewOrder: { petId: true, quantity: true, shipDate: true },
  PlaceOrder: { petId: true, quantity: true, shipDate: true, orderId: true },
  ShipOrder: { orderId: true, shipDate: true },
  CancelOrder: { orderId: true, reason: true },
};

const OUTCOMES: {
  readonly [Kind in Outcome['kind']]: Names<Extract<Outcome, { kind: Kind }>, 'kind'>;
} = {
  accepted: { orderId: true, version: true, position: true },
  rejected: { reason: true },
  unavailable: { cause: true },
  unknown: { cause: true },
};

export function packBatch(batch: readonly Submission[]): Fields {
  const fields: unknown[] = [];
  for (const request of requestsIn(batch)) {
    const [first] = request as [Submission];
    const { by, commandId, idempotencyKey, onlyIf, traceparent, group } = first;
    fields.push(by, commandId, idempotencyKey, onlyIf, traceparent, group);
    for (const { command } of request) {
      fields.push(command.type);
      for (const name in COMMANDS[command.type]) fields.push(command[name as keyof Command]);
    }
  }
  return fields;
}

export function unpackBatch(fields: Fields): readonly Submission[] {
  const batch: Submission[] = [];
  let at = 0;
  const next = <Value>() => fields[at++] as Value;
  while (at < fields.length) {
    const [by, commandId] = [next<string>(), next<string>()];
    const idempotencyKey = next<Submission['idempotencyKey']>();
    const onlyIf = next<Submission['onlyIf']>();
    const traceparent = next<Submission['traceparent']>();
    const group = next<Group | undefined>();
    batch.push({ command: command(), by, commandId, idempotencyKey, onlyIf, traceparent, group });
    for (let rest = group?.size ?? 1; rest > 1; rest--) {
      batch.push({ command: command(), by, commandId, traceparent });
    }
  }
  return batch;

  function command(): Command {
    const type = next<Command['type']>();
    const read: Record<string, unknown> = { type };
    for (const name in COMMANDS[type]) {
      const field = next();
      // An absent ship date or reason stays absent.
      if (field !== undefined) read[name] = field;
    }
    return read as unknown as Command;
  }
}

export function packOutcomes(outcomes: readonly Outcome[]): Fields {
  const fields: unknown[] = [];
  for (const outcome of outcomes) {
    fields.push(outcome.kind);
    for (const name in OUTCOMES[outcome.kind]) fields.push(outcome[name as keyof Outcome]);
  }
  return fields;
}

export function unpackOutcomes(fields: Fields): readonly Outcome[] {
  const outcomes: Outcome[] = [];
  for (let at = 0; at < fields.length; ) {
    const kind = fields[at++] as Outcome['kind'];
    const outcome: Record<string, unknown> = { kind };
    for (const name in OUTCOMES[kind]) outcome[name] = fields[at++];
    outcomes.push(outcome as Outcome);
  }
  return outcomes;
}
