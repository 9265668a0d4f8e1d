/** Events as they are stored, and their records: the data of the leaves of the Merkle tree. */

/** An event as an engine stores it. */
export interface StoredFields {
  readonly position: number;
  readonly version: number;
  readonly type: string;
  readonly schemaVersion: number;
  /** Canonical JSON (RFC 8785), as is the metadata. */
  readonly data: string;
  readonly metadata: string;
}

/**
 * Returns an event's record: all its stored fields in one text, which is the data of its leaf in
 * the log's Merkle tree. It contains the stored texts to the byte, and its members are sorted by
 * name, so that the record is canonical JSON as well.
 */
export function recordOf(event: StoredFields): string {
  const { position, version, type, schemaVersion, data, metadata } = event;
  return (
    `{"data":${data},"metadata":${metadata},"position":${position}` +
    `,"schemaVersion":${schemaVersion},"type":${JSON.stringify(type)},"version":${version}}`
  );
}
