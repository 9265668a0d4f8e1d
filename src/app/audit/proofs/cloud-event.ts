/**
 * Stored events as CloudEvents 1.0, in its JSON format, and back. The record that was hashed can be
 * made from a CloudEvent: each of the record's members stands in it exactly once, under the name
 * that CloudEvents has for it, so that nothing in it can differ from what was hashed. Beyond the
 * record it names the store (`source`) and the key (`keyname`), and has the trace of the request
 * (`traceparent`, of the extension for distributed tracing), if there was one.
 *
 * | in the CloudEvent           | in the record                                          |
 * |-----------------------------|--------------------------------------------------------|
 * | data                        | data, to the byte                                      |
 * | time, by, commandid         | metadata: its at, by and commandId, in canonical JSON  |
 * | metadata                    | metadata, where those three do not make it, as a text  |
 * | position, and id as a text  | position                                               |
 * | version                     | version                                                |
 * | schemaversion               | schemaVersion                                          |
 * | type                        | type                                                   |
 *
 * `subject` is the orderId of the data. Together, `source` and `id` name an event for good.
 */

import type { StoredFields } from '../../log/recorded-event.ts';

/** The first four fields of a `traceparent`: W3C Trace Context, section 3.2. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

/** Returns the `source` of a store's CloudEvents. */
export function sourceOf(storeId: string): string {
  return `/store-orders/${storeId}`;
}

/** Returns the id of the store that a `source` names. */
export function storeIdIn(source: unknown): string {
  return String(source).slice(sourceOf('').length);
}

/** Returns a line with a signed note, about the first events of a store, as a CloudEvent. */
export function noteLine(type: 'Checkpoint' | 'Seal', storeId: string, size: number, note: string) {
  return JSON.stringify({
    specversion: '1.0',
    id: `${type.toLowerCase()}-${size}`,
    source: sourceOf(storeId),
    type,
    datacontenttype: 'text/plain',
    data: note,
  });
}

/** Returns the author of an event: the id of an API key, or the name of a tool. */
export function authorOf({ metadata }: StoredFields): string {
  return Object(JSON.parse(metadata)).by;
}

/** Returns the id of the command that led to an event. */
export function commandIdOf({ metadata }: StoredFields): string {
  return String(Object(JSON.parse(metadata)).commandId);
}

/**
 * Returns an event as a CloudEvent: JSON in one line, which ends with the data as it is stored.
 * Throws a SyntaxError if the stored texts are not JSON.
 * @param keyNameOf Returns the name of the key with an id, if there is such a key.
 * @param traceparent See {@link Trail.traces}. Left out if it is malformed.
 */
export function cloudEventOf(
  stored: StoredFields,
  storeId: string,
  keyNameOf: (id: string) => string | undefined,
  traceparent?: string,
): string {
  const { position, version, type, schemaVersion, data, metadata } = stored;
  const { at, by, commandId } = Object(JSON.parse(metadata));
  const { orderId } = Object(JSON.parse(data));
  // JSON.stringify leaves out members that are undefined.
  const attributes = JSON.stringify({
    specversion: '1.0',
    id: String(position),
    source: sourceOf(storeId),
    type,
    subject: orderId,
    time: at,
    datacontenttype: 'application/json',
    position,
    version,
    schemaversion: schemaVersion,
    by,
    keyname: keyNameOf(by),
    commandid: commandId,
    traceparent: TRACEPARENT.test(traceparent ?? '') ? traceparent : undefined,
    metadata: metadataText(at, by, commandId) === metadata ? undefined : metadata,
  });
  return `${attributes.slice(0, -1)}${DATA}${data}}`;
}

/**
 * Returns the stored event from its CloudEvent: exactly the argument of {@link cloudEventOf}.
 * Throws an Error for any other text, even for other JSON with the same values.
 */
export function storedFieldsOf(cloudEvent: string): StoredFields {
  const { position, version, type, schemaversion, time, by, commandid, ...rest } = Object(
    JSON.parse(cloudEvent),
  );
  const { source, keyname, traceparent } = rest;
  const stored = {
    position,
    version,
    type,
    schemaVersion: schemaversion,
    // Quotes inside of JSON strings are escaped, so the first match is the member.
    data: cloudEvent.slice(cloudEvent.indexOf(DATA) + DATA.length, -1),
    metadata: rest.metadata ?? metadataText(time, by, commandid),
  };
  const isStored =
    [position, version, schemaversion].every(isCount) &&
    [type, stored.metadata].every(isText) &&
    (keyname === undefined || isText(keyname));
  if (isStored && isItsText()) return stored;
  throw new Error('this is not in the one form that an event has');

  function isItsText(): boolean {
    try {
      return cloudEventOf(stored, storeIdIn(source), () => keyname, traceparent) === cloudEvent;
    } catch {
      // The data has other members of the event behind it, or the metadata is no JSON.
      return false;
    }
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.isWellFormed();
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

const DATA = ',"data":';

function metadataText(at: string, by: string, commandId: string): string {
  return JSON.stringify({ at, by, commandId });
}
