/** The exports of this folder to the rest of the program, which ../fast-path.ts loads. */

import type { Metadata, RecordedEvent, StoredFields } from '../../../app/log/recorded-event.ts';
import type { Instant } from '../../../domain/instant.ts';
import type { OrderEvent } from '../../../domain/order.ts';
import { END, EventParser } from './event-parser.ts';

export { postgresFoldSource, sqliteFoldSource } from './event-chunks.ts';

/** The bytes of one event: one buffer for all, because each is parsed as soon as it is written. */
const scratch = Buffer.allocUnsafeSlow(65_536);
const parser = new EventParser(scratch);

/** UTF-16 code units of an event's texts that fit into the buffer, at three bytes each. */
const MAX_EVENT_UNITS = scratch.length / 3 - 256;

/** Reads a stored event; returns `undefined` if only the schema may be able to read it. */
export function readEvent(
  stored: StoredFields,
): Pick<RecordedEvent, 'event' | 'metadata'> | undefined {
  const { position, type, schemaVersion, data, metadata } = stored;
  const units = type.length + data.length + metadata.length;
  // A lone surrogate has no UTF-8 bytes of its own: the text would change.
  if (units > MAX_EVENT_UNITS || !metadata.isWellFormed()) return undefined;
  // The version beside the texts is the caller's, and may have more than one digit.
  scratch.write(`${type} ${schemaVersion} 1${END}${data}${END}${metadata}${END}`);
  parser.rewind();
  if (!parser.read(position)) return undefined;
  return { event: eventIn(data), metadata: metadataIn(metadata) };
}

/** Returns the event that the parser has just read from this text. */
function eventIn(data: string): OrderEvent {
  const { type, orderId, petId, quantity, shipDate, reason } = parser;
  if (reason !== undefined) return { type, orderId, reason } as OrderEvent;
  const event = type === 'OrderPlaced' ? { type, orderId, petId, quantity } : { type, orderId };
  if (Number.isNaN(shipDate)) return event as OrderEvent;
  return { ...event, shipDate: shipDateIn(data) } as OrderEvent;
}

// Instants have one length, and stand at the end of the data and at the beginning of the metadata.
const INSTANT_LENGTH = '2026-01-01T12:00:00.000Z'.length;
const [AT, BY, COMMAND_ID, END_OF_TEXT] = ['{"at":"', '","by":"', '","commandId":"', '"}'] as const;
const BY_BEGINS = AT.length + INSTANT_LENGTH + BY.length;

function shipDateIn(data: string): Instant {
  return data.slice(-INSTANT_LENGTH - END_OF_TEXT.length, -END_OF_TEXT.length) as Instant;
}

function metadataIn(metadata: string): Metadata {
  const byEnds = metadata.indexOf('"', BY_BEGINS);
  return {
    at: metadata.slice(AT.length, AT.length + INSTANT_LENGTH) as Instant,
    by: metadata.slice(BY_BEGINS, byEnds),
    commandId: metadata.slice(byEnds + COMMAND_ID.length, -END_OF_TEXT.length),
  };
}
