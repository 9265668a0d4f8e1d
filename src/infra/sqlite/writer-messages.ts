/**
 * The messages between the server's thread and the writer's thread. Batches and their outcomes
 * travel as one flat array of fields: cloning an array of strings and bigints takes a quarter of
 * the time of an array of objects, and each command is cloned twice.
 */

import type { PackedImage } from '../../app/log/packed-fold.ts';
import type { Outcome, PlaceNewOrder, Submission } from '../../app/log/submission.ts';
import type { Impairment } from '../../app/ports/impairment.ts';
import type { CheckpointCounters } from '../../app/ports/store.ts';
import type { Instant } from '../../domain/instant.ts';
import type { PetId } from '../../domain/order-id.ts';

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
  | { readonly kind: 'checkpointed'; readonly counters: CheckpointCounters };

/** The fields of several objects, one after the other. */
type Fields = readonly unknown[];

export function packBatch(batch: readonly Submission[]): Fields {
  const fields: unknown[] = [];
  for (const { command, by, commandId, idempotencyKey, onlyIf } of batch) {
    fields.push(command.type, by, commandId, idempotencyKey, onlyIf);
    switch (command.type) {
      case 'PlaceNewOrder':
        fields.push(command.petId, command.quantity, command.shipDate);
        break;
      case 'PlaceOrder':
        fields.push(command.petId, command.quantity, command.shipDate, command.orderId);
        break;
      case 'ShipOrder':
        fields.push(command.orderId, command.shipDate);
        break;
      case 'CancelOrder':
        fields.push(command.orderId);
        break;
    }
  }
  return fields;
}

export function unpackBatch(fields: Fields): readonly Submission[] {
  const batch: Submission[] = [];
  const next = reader(fields);
  while (next.more()) {
    const type = next.field<Submission['command']['type']>();
    const by = next.field<string>();
    const commandId = next.field<string>();
    const idempotencyKey = next.field<string | undefined>();
    const onlyIf = next.field<readonly number[] | undefined>();
    const command = commandFrom(type, next.field);
    batch.push({ command, by, commandId, idempotencyKey, onlyIf });
  }
  return batch;
}

function commandFrom(type: Submission['command']['type'], field: Field): Submission['command'] {
  switch (type) {
    case 'PlaceNewOrder':
      return { type, ...placedFrom(field) };
    case 'PlaceOrder':
      return { type, ...placedFrom(field), orderId: field() };
    case 'ShipOrder':
      return { type, orderId: field(), shipDate: field() };
    case 'CancelOrder':
      return { type, orderId: field() };
  }
}

function placedFrom(field: Field): Omit<PlaceNewOrder, 'type'> {
  const placed = { petId: field<PetId>(), quantity: field<number>() };
  const shipDate = field<Instant | undefined>();
  return shipDate === undefined ? placed : { ...placed, shipDate };
}

export function packOutcomes(outcomes: readonly Outcome[]): Fields {
  const fields: unknown[] = [];
  for (const outcome of outcomes) {
    fields.push(outcome.kind);
    switch (outcome.kind) {
      case 'accepted':
        fields.push(outcome.orderId, outcome.version, outcome.position);
        break;
      case 'rejected':
        fields.push(outcome.reason);
        break;
      case 'unavailable':
      case 'unknown':
        fields.push(outcome.cause);
        break;
    }
  }
  return fields;
}

export function unpackOutcomes(fields: Fields): readonly Outcome[] {
  const outcomes: Outcome[] = [];
  const next = reader(fields);
  while (next.more()) outcomes.push(outcomeFrom(next.field<Outcome['kind']>(), next.field));
  return outcomes;
}

function outcomeFrom(kind: Outcome['kind'], field: Field): Outcome {
  switch (kind) {
    case 'accepted':
      return { kind, orderId: field(), version: field(), position: field() };
    case 'rejected':
      return { kind, reason: field() };
    case 'unavailable':
    case 'unknown':
      return { kind, cause: field() };
  }
}

/** Returns the next field, of the type that the other thread has packed there. */
type Field = <Value>() => Value;

function reader(fields: Fields): { more(): boolean; field: Field } {
  let index = 0;
  return {
    more: () => index < fields.length,
    field: <Value>() => fields[index++] as Value,
  };
}
