/**
 * Reads the stored texts of events for the check of an export, in every schema version, without the
 * schema that the service has for this: that takes 0.3 MB. A test compares the two. A text is read
 * if its event, written again, yields the same text.
 */
import type { StoredFields } from '../../app/log/recorded-event.ts';
import { UnreadableEvent } from '../../app/ports/event-log.ts';
import type { DecodeStrictly } from '../../app/ports/evidence.ts';
import { type Instant, parseInstant } from '../../domain/instant.ts';
import { CANCEL_REASONS, MAX_QUANTITY, type OrderEvent } from '../../domain/order.ts';
import { parseInt64 } from '../../domain/order-id.ts';

type Data = Readonly<Record<string, unknown>>;

interface Form {
  /** The members of the data, in their order. */
  readonly members: readonly string[];
  readonly isValid: (data: Data) => boolean;
}

/** Every form in which data of each type were ever written, the first in schema version 1. */
const FORMS: Readonly<Record<OrderEvent['type'], readonly Form[]>> = {
  OrderPlaced: [
    // petId was a JSON number, and an absent date null.
    {
      members: ['orderId', 'petId', 'quantity', 'shipDate'],
      isValid: ({ petId, quantity, shipDate }) =>
        Number.isSafeInteger(petId) &&
        isQuantity(quantity) &&
        (shipDate === null || isInstant(shipDate)),
    },
    {
      members: ['orderId', 'petId', 'quantity', 'shipDate'],
      isValid: ({ petId, quantity, shipDate }) =>
        isInt64(petId) && isQuantity(quantity) && (shipDate === undefined || isInstant(shipDate)),
    },
  ],
  OrderShipped: [
    { members: ['orderId', 'shipDate'], isValid: ({ shipDate }) => isInstant(shipDate) },
  ],
  OrderCancelled: [
    { members: ['orderId'], isValid: () => true },
    {
      members: ['orderId', 'reason'],
      isValid: ({ reason }) => CANCEL_REASONS.some((each) => each === reason),
    },
  ],
};

/** Throws {@link UnreadableEvent} unless the texts are exactly as the service writes them. */
export const readStoredEvent: DecodeStrictly = (stored) => {
  const { position, version, type } = stored;
  try {
    const { orderId, petId, shipDate, ...others } = dataIn(stored);
    const event = {
      type,
      orderId: BigInt(orderId as string),
      ...(petId === undefined ? {} : { petId: BigInt(petId as string) }),
      ...(typeof shipDate === 'string' ? { shipDate } : {}),
      ...others,
    } as unknown as OrderEvent;
    return { position, version, event, metadata: metadataIn(stored) };
  } catch (error) {
    throw new UnreadableEvent(position, (error as Error).message);
  }
};

function dataIn({ type, schemaVersion, data }: StoredFields): Data {
  const forms = Object.hasOwn(FORMS, type) ? FORMS[type as OrderEvent['type']] : [];
  const form = forms[schemaVersion - 1];
  if (form === undefined)
    throw new Error(`${type} ${schemaVersion} is no known type and schema version`);
  const read: Data = Object(JSON.parse(data));
  const isValid = isInt64(read.orderId) && form.isValid(read);
  // JSON.stringify leaves out members that are undefined.
  const members = form.members.map((member) => [member, read[member]]);
  if (isValid && JSON.stringify(Object.fromEntries(members)) === data) return read;
  throw new Error('its data are not in the one form that they can have');
}

function metadataIn({ metadata }: StoredFields) {
  const { at, by, commandId } = Object(JSON.parse(metadata));
  const isValid = isInstant(at) && isText(by) && isText(commandId);
  if (isValid && JSON.stringify({ at, by, commandId }) === metadata) return { at, by, commandId };
  throw new Error('its metadata are not in the one form that they can have');
}

function isInt64(value: unknown): boolean {
  return typeof value === 'string' && parseInt64(value) !== undefined;
}

function isInstant(value: unknown): value is Instant {
  return typeof value === 'string' && parseInstant(value) === value;
}

function isQuantity(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_QUANTITY;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.isWellFormed();
}
