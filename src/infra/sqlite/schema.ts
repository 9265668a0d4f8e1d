/**
 * The schema of a store in SQLite. The log's only index is its position: with one more, on order
 * and version, the same disk records a ninth of the events (docs/adr/0001).
 */

import { keepKeyChanges, noChangesTo, noGapsIn, noReplacementIn, notAhead } from './guards.ts';

/** "STOR": the application id of a store (PRAGMA application_id). */
export const APPLICATION_ID = 0x53544f52;

/** The newest schema version (PRAGMA user_version). */
export const SCHEMA_VERSION = 10;

/** The schema version that introduced the tree of the log. */
export const WITH_TREE = 3;

/** The schema version that introduced checksums of the rows outside of proofs. */
export const WITH_CHECKSUMS = 5;

/** The schema version that introduced epochs. Since then every log has its head beside it. */
export const WITH_EPOCHS = 6;

/** The schema version that introduced the limits of API keys. */
export const WITH_LIMITS = 7;

/** The schema version that introduced the traces of events. */
export const WITH_TRACES = 8;

/** The schema version that introduced the changes of API keys and the number of kept outcomes. */
export const WITH_SECOND_PLACES = 9;

const API_KEYS_ONLY = 'API keys are only added, limited and revoked';

/** The statements that migrate from each schema version to the next; the first to version 1. */
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
${noChangesTo('events', 'events are append-only')}

${noGapsIn('events', 'position', 'events are append-only: the position is not head + 1')}

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
  `
  -- The log as a Merkle tree (docs/adr/0011): its right edge, and one node in 256.
  CREATE TABLE tree (
    edge BLOB NOT NULL
  ) STRICT;
  INSERT INTO tree VALUES (x'0000000000000000');

  CREATE TABLE tree_nodes (
    height INTEGER NOT NULL,
    place  INTEGER NOT NULL,
    hash   BLOB NOT NULL,
    PRIMARY KEY (height, place)
  ) STRICT, WITHOUT ROWID;

  -- Its first eight bytes are its size.
  CREATE TRIGGER tree_only_grows BEFORE UPDATE ON tree
  WHEN substr(NEW.edge, 1, 8) <= substr(OLD.edge, 1, 8)
  BEGIN SELECT RAISE(ABORT, 'the tree of the log only grows'); END;

  CREATE TRIGGER tree_is_never_deleted BEFORE DELETE ON tree
  BEGIN SELECT RAISE(ABORT, 'the tree of the log only grows'); END;

  CREATE TRIGGER tree_is_one BEFORE INSERT ON tree
  BEGIN SELECT RAISE(ABORT, 'the log has one tree'); END;

  CREATE TRIGGER tree_nodes_are_never_updated BEFORE UPDATE ON tree_nodes
  BEGIN SELECT RAISE(ABORT, 'the tree of the log only grows'); END;

  CREATE TRIGGER tree_nodes_are_never_deleted BEFORE DELETE ON tree_nodes
  BEGIN SELECT RAISE(ABORT, 'the tree of the log only grows'); END;

  CREATE TRIGGER tree_nodes_are_never_replaced BEFORE INSERT ON tree_nodes
  WHEN EXISTS (SELECT 1 FROM tree_nodes WHERE height = NEW.height AND place = NEW.place)
  BEGIN SELECT RAISE(ABORT, 'the tree of the log only grows'); END;
  `,
  `
  -- The keys that the store has signed with: a start is refused where the last one is missing. A
  -- store that was in use before this table came has had one of which only the file is known; but
  -- none if it had no tree to sign. The version is that from which the store is migrated.
  CREATE TABLE signing_keys (
    number       INTEGER PRIMARY KEY,
    verifier_key TEXT NOT NULL,
    since        TEXT NOT NULL
  ) STRICT;
  INSERT INTO signing_keys SELECT 1, '', ''
    WHERE (SELECT user_version FROM pragma_user_version) >= ${WITH_TREE}
      AND (EXISTS (SELECT 1 FROM events) OR EXISTS (SELECT 1 FROM api_keys));

${noChangesTo('signing_keys', 'signing_keys is append-only')}

${noGapsIn('signing_keys', 'number', 'signing_keys is append-only: the number is not the next')}
  `,
  `
  -- What tells a row that was changed (docs/adr/0019). The function is this program's own.
  ALTER TABLE api_keys ADD COLUMN checksum BLOB NOT NULL DEFAULT x'';
  UPDATE api_keys SET checksum = checksum_of('api_keys',
    id, name, hash, scopes, created_at, expires_at, revoked_at);

  ALTER TABLE kept_outcomes ADD COLUMN checksum BLOB NOT NULL DEFAULT x'';
  UPDATE kept_outcomes SET checksum = checksum_of('kept_outcomes',
    asked_by, key, fingerprint, order_id, version, refusal);

  -- An older version that is still running knows no checksums.
  CREATE TRIGGER api_keys_have_checksums BEFORE INSERT ON api_keys
  WHEN length(NEW.checksum) <> 32
  BEGIN SELECT RAISE(ABORT, 'a newer version of store-orders has opened this store'); END;

  CREATE TRIGGER api_keys_are_only_revoked BEFORE UPDATE ON api_keys
  WHEN OLD.revoked_at IS NOT NULL OR NEW.revoked_at IS NULL OR NEW.checksum = OLD.checksum OR
    (NEW.id, NEW.name, NEW.hash, NEW.scopes, NEW.created_at, NEW.expires_at) IS NOT
    (OLD.id, OLD.name, OLD.hash, OLD.scopes, OLD.created_at, OLD.expires_at)
  BEGIN SELECT RAISE(ABORT, 'API keys are only added and revoked'); END;

  CREATE TRIGGER api_keys_are_never_deleted BEFORE DELETE ON api_keys
  BEGIN SELECT RAISE(ABORT, 'API keys are only added and revoked'); END;

${noChangesTo('kept_outcomes', 'kept_outcomes is append-only')}
  `,
  `
  -- The breaks of the log, each with what began after it (docs/adr/0020).
  CREATE TABLE epochs (
    number    INTEGER PRIMARY KEY,
    statement TEXT NOT NULL
  ) STRICT;

${noChangesTo('epochs', 'epochs are append-only')}

${noGapsIn('epochs', 'number', 'epochs are append-only: the number is not the next')}

  -- Marks a backup, and a store that goes on elsewhere, until somebody goes on with it.
  ALTER TABLE store ADD COLUMN is_copy INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- The limits of a key, as JSON, with a checksum of their own (docs/adr/0031).
  ALTER TABLE api_keys ADD COLUMN limits TEXT;
  ALTER TABLE api_keys ADD COLUMN limits_checksum BLOB;

  DROP TRIGGER api_keys_are_only_revoked;

  -- Limits that are taken away are empty, and never NULL again.
  CREATE TRIGGER api_keys_are_only_revoked_or_limited BEFORE UPDATE ON api_keys
  WHEN (NEW.id, NEW.name, NEW.hash, NEW.scopes, NEW.created_at, NEW.expires_at) IS NOT
    (OLD.id, OLD.name, OLD.hash, OLD.scopes, OLD.created_at, OLD.expires_at) OR NOT
    CASE WHEN (NEW.revoked_at, NEW.checksum) IS (OLD.revoked_at, OLD.checksum)
      THEN NEW.limits IS NOT NULL AND length(NEW.limits_checksum) IS 32
      ELSE OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL AND
        NEW.checksum <> OLD.checksum AND
        (NEW.limits, NEW.limits_checksum) IS (OLD.limits, OLD.limits_checksum) END
  BEGIN SELECT RAISE(ABORT, 'API keys are only added, limited and revoked'); END;
  `,
  `
  -- The traces of events, beside the log and in no proof (docs/adr/0030).
  CREATE TABLE event_traces (
    position    INTEGER PRIMARY KEY,
    traceparent TEXT NOT NULL
  ) STRICT;

${noChangesTo('event_traces', 'event_traces is append-only')}

  -- Neither replaced, nor a reason to refuse the event.
  CREATE TRIGGER event_traces_are_never_replaced BEFORE INSERT ON event_traces
  WHEN EXISTS (SELECT 1 FROM event_traces WHERE position = NEW.position)
  BEGIN SELECT RAISE(IGNORE); END;
  `,
  `
  -- The checksums that each key has had, in pages of their own: a write of the keys' page that the
  -- disk has lost leaves an older row there, whose own checksum matches (docs/adr/0053).
  CREATE TABLE key_changes (
    id              TEXT NOT NULL,
    change          INTEGER NOT NULL,
    checksum        BLOB NOT NULL,
    limits_checksum BLOB,
    PRIMARY KEY (id, change)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO key_changes SELECT id, 1, checksum, limits_checksum FROM api_keys;

${noChangesTo('key_changes', 'key_changes is append-only')}

  CREATE TRIGGER key_changes_are_dense BEFORE INSERT ON key_changes
  WHEN NEW.change IS NOT
    (SELECT coalesce(max(change), 0) + 1 FROM key_changes WHERE id = NEW.id)
  BEGIN SELECT RAISE(ABORT, 'key_changes is append-only: the number is not the next'); END;

${['INSERT', 'UPDATE'].map(keepKeyChanges).join('\n\n')}

  -- The number of kept outcomes, for the same reason.
  ALTER TABLE store ADD COLUMN kept_outcomes INTEGER NOT NULL DEFAULT 0;
  UPDATE store SET kept_outcomes = (SELECT count(*) FROM kept_outcomes);

  CREATE TRIGGER kept_outcomes_are_counted AFTER INSERT ON kept_outcomes
  BEGIN UPDATE store SET kept_outcomes = kept_outcomes + 1; END;
  `,
  `
  -- REPLACE deletes a row without a delete trigger: the one with the same key, or the same rowid.
${noReplacementIn('api_keys', 'id = NEW.id OR rowid = NEW.rowid', API_KEYS_ONLY)}

  CREATE TRIGGER api_keys_keep_their_rowids BEFORE UPDATE ON api_keys
  WHEN NEW.rowid <> OLD.rowid
  BEGIN SELECT RAISE(ABORT, '${API_KEYS_ONLY}'); END;

${noReplacementIn('kept_outcomes', 'asked_by = NEW.asked_by AND key = NEW.key', 'kept_outcomes is append-only')}

  -- A row ahead of the log would stand where that of an event belongs. Events are inserted first.
${notAhead('event_traces', 'NEW.position < 1 OR head < NEW.position', 'event_traces has no event there')}

${notAhead('tree_nodes', 'NEW.height < 8 OR NEW.height % 8 <> 0 OR NEW.place < 0 OR head >> NEW.height <= NEW.place', 'the tree of the log has no such node')}
  `,
];
