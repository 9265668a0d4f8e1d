/**
 * The schema of a store in SQLite. The log's only index is its position: with one more, on order
 * and version, the same disk takes a ninth of the events (docs/adr/0001).
 */

/** "STOR": tells a store from any other SQLite file (PRAGMA application_id). */
export const APPLICATION_ID = 0x53544f52;

/** The newest schema that this version knows (PRAGMA user_version). */
export const SCHEMA_VERSION = 2;

/** What leads from each schema version to the next; the first entry leads to version 1. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE store (
    id TEXT NOT NULL
  ) STRICT;
  INSERT INTO store VALUES (lower(hex(randomblob(8))));

  CREATE TABLE events (
    position       INTEGER PRIMARY KEY,
    order_id       INTEGER NOT NULL,
    version        INTEGER NOT NULL,
    type           TEXT NOT NULL,
    schema_version INTEGER NOT NULL,
    data           TEXT NOT NULL,
    metadata       TEXT NOT NULL
  ) STRICT;

  -- The database refuses to change history. INSERT OR REPLACE deletes without a delete trigger,
  -- so the guard on INSERT is what keeps it out: only the next position can be written.
  CREATE TRIGGER events_are_never_updated BEFORE UPDATE ON events
  BEGIN SELECT RAISE(ABORT, 'events are append-only: no UPDATE'); END;

  CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
  BEGIN SELECT RAISE(ABORT, 'events are append-only: no DELETE'); END;

  CREATE TRIGGER events_are_dense BEFORE INSERT ON events
  WHEN NEW.position IS NOT (SELECT coalesce(max(position), 0) + 1 FROM events)
  BEGIN SELECT RAISE(ABORT, 'events are append-only: the position is not head + 1'); END;

  CREATE TABLE api_keys (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    hash       BLOB NOT NULL,
    scopes     TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT,
    revoked_at TEXT
  ) STRICT;
  `,
  `
  -- What commands with an idempotency key came to, recorded in the transaction of their events.
  CREATE TABLE kept_outcomes (
    asked_by    TEXT NOT NULL,
    key         TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    order_id    INTEGER,
    version     INTEGER,
    refusal     TEXT,
    PRIMARY KEY (asked_by, key)
  ) STRICT, WITHOUT ROWID;
  `,
];
