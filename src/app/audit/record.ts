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
 * An event's record: everything that is stored of it, in one text, which is the data of its leaf in
 * the log's Merkle tree. The texts that are stored stand in it as they are, to the byte, and members
 * stand in the order of their names, so that the record is canonical JSON as well.
 */
export function recordOf(event: StoredFields): string {
  const { position, version, type, schemaVersion, data, metadata } = event;
  return (
    `{"data":${data},"metadata":${metadata},"position":${position}` +
    `,"schemaVersion":${schemaVersion},"type":${JSON.stringify(type)},"version":${version}}`
  );
}
