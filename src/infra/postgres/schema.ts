/**
 * The schema of a store in PostgreSQL: the same tables as in SQLite (docs/adr/0001, 0011), in a
 * schema of their own. Texts are compared by their bytes (COLLATE "C"), so that an upgrade
 * of the system's collations cannot corrupt an index.
 */

import { checksumInPostgres } from '../events/checksums.ts';
import { FIRST_SCHEMA } from './first-schema.ts';

/** The newest schema version. */
export const SCHEMA_VERSION = 8;

/** The schema version that introduced checksums of the rows outside of proofs. */
export const WITH_CHECKSUMS = 3;
/** The schema version that introduced epochs. */
export const WITH_EPOCHS = 4;
/** The schema version that introduced the limits of API keys. */
export const WITH_LIMITS = 5;
/** The schema version that introduced the traces of events. */
export const WITH_TRACES = 6;
/** The schema version that introduced the changes of API keys and the number of kept outcomes. */
export const WITH_SECOND_PLACES = 7;

/** "STOR": the advisory lock under which the schema is changed. */
export const MIGRATION_LOCK = 0x53544f52;

/** "STOR" plus 1: the advisory lock under which refusals are recorded. */
export const REFUSALS_LOCK = 0x53544f53;

/**
 * "STOR" plus 2: the advisory lock that each session of a running service shares, so that a command
 * that needs the store for itself finds out.
 */
export const SERVING_LOCK = 0x53544f54;

/** "STOR" plus 3: the advisory lock of a command that copies a store, held in both databases. */
export const COPY_LOCK = 0x53544f55;

/** The channel on which an instance that appends notifies the others. */
export const CHANNEL = 'store_orders';

const API_KEY_CHECKSUM = checksumInPostgres(
  'api_keys',
  ['id', 'name', 'hash', 'scopes', 'created_at', 'expires_at', 'revoked_at'],
  { hash: 'bytea' },
);

const KEPT_OUTCOME_CHECKSUM = checksumInPostgres(
  'kept_outcomes',
  ['asked_by', 'key', 'fingerprint', 'order_id', 'version', 'refusal'],
  { order_id: 'integer', version: 'integer' },
);

/**
 * The statements that migrate from each schema version to the next; the first to version 1. They only
 * add objects: instances of the version before serve the store until each of them is replaced, and
 * report a function or a trigger that is another one than theirs.
 */
export const MIGRATIONS: readonly string[] = [
  FIRST_SCHEMA,
  `
  -- The keys that the store has signed with: a start is refused where the last one is missing. A
  -- store that was in use before this table came has had one of which only the file is known.
  CREATE TABLE store_orders.signing_keys (
    number       integer PRIMARY KEY,
    verifier_key text COLLATE "C" NOT NULL,
    since        text COLLATE "C" NOT NULL
  );
  INSERT INTO store_orders.signing_keys SELECT 1, '', ''
    WHERE EXISTS (SELECT FROM store_orders.events) OR EXISTS (SELECT FROM store_orders.api_keys);

  CREATE TRIGGER signing_keys_never_change
    BEFORE UPDATE OR DELETE OR TRUNCATE ON store_orders.signing_keys
    FOR EACH STATEMENT EXECUTE FUNCTION store_orders.refuse();
  `,
  `
  -- What tells a row that was changed (docs/adr/0019). There is no default, so that an older instance
  -- that is still running cannot add a row without it.
  ALTER TABLE store_orders.api_keys ADD COLUMN checksum bytea;
  UPDATE store_orders.api_keys SET checksum = ${API_KEY_CHECKSUM};
  ALTER TABLE store_orders.api_keys ALTER COLUMN checksum SET NOT NULL;

  ALTER TABLE store_orders.kept_outcomes ADD COLUMN checksum bytea;
  ALTER TABLE store_orders.kept_outcomes DISABLE TRIGGER kept_outcomes_never_change;
  UPDATE store_orders.kept_outcomes SET checksum = ${KEPT_OUTCOME_CHECKSUM};
  ALTER TABLE store_orders.kept_outcomes ENABLE TRIGGER kept_outcomes_never_change;
  ALTER TABLE store_orders.kept_outcomes ALTER COLUMN checksum SET NOT NULL;
  `,
  `
  -- The breaks of the log, each with what began after it (docs/adr/0020).
  CREATE TABLE store_orders.epochs (
    number    integer PRIMARY KEY CHECK (number > 0),
    statement text NOT NULL
  );

  CREATE TRIGGER epochs_never_change BEFORE UPDATE OR DELETE OR TRUNCATE ON store_orders.epochs
    FOR EACH STATEMENT EXECUTE FUNCTION store_orders.refuse();

  -- Which database this is, once a server has appended to it: a copy of it is another one.
  ALTER TABLE store_orders.store ADD COLUMN home text;
  `,
  `
  -- The limits of a key, as JSON, with a checksum of their own (docs/adr/0031).
  ALTER TABLE store_orders.api_keys ADD COLUMN limits text, ADD COLUMN limits_checksum bytea;
  `,
  `
  -- The traces of events, beside the log and in no proof (docs/adr/0030).
  CREATE TABLE store_orders.event_traces (
    position    bigint PRIMARY KEY,
    traceparent text NOT NULL
  );

  CREATE TRIGGER event_traces_never_change
    BEFORE UPDATE OR DELETE OR TRUNCATE ON store_orders.event_traces
    FOR EACH STATEMENT EXECUTE FUNCTION store_orders.refuse();
  `,
  `
  -- The checksums that each key has had, in pages of their own: a write of the keys' page that the
  -- disk has lost leaves an older row there, whose own checksum matches (docs/adr/0053).
  CREATE TABLE store_orders.key_changes (
    id              text COLLATE "C" NOT NULL,
    change          integer NOT NULL,
    checksum        bytea NOT NULL,
    limits_checksum bytea,
    PRIMARY KEY (id, change)
  );
  INSERT INTO store_orders.key_changes
    SELECT id, 1, checksum, limits_checksum FROM store_orders.api_keys;

  CREATE TRIGGER key_changes_never_change
    BEFORE UPDATE OR DELETE OR TRUNCATE ON store_orders.key_changes
    FOR EACH STATEMENT EXECUTE FUNCTION store_orders.refuse();

  CREATE FUNCTION store_orders.keep_key_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO store_orders.key_changes
      SELECT NEW.id, coalesce(max(change), 0) + 1, NEW.checksum, NEW.limits_checksum
        FROM store_orders.key_changes WHERE id = NEW.id;
    RETURN NULL;
  END $$;

  CREATE TRIGGER each_change_of_a_key_is_kept AFTER INSERT OR UPDATE ON store_orders.api_keys
    FOR EACH ROW EXECUTE FUNCTION store_orders.keep_key_change();

  -- The number of kept outcomes, for the same reason.
  ALTER TABLE store_orders.store ADD COLUMN kept_outcomes bigint NOT NULL DEFAULT 0;
  UPDATE store_orders.store SET kept_outcomes = (SELECT count(*) FROM store_orders.kept_outcomes);

  CREATE FUNCTION store_orders.count_kept_outcomes() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    more bigint;
  BEGIN
    SELECT count(*) INTO more FROM added;
    IF more > 0 THEN
      UPDATE store_orders.store SET kept_outcomes = kept_outcomes + more;
    END IF;
    RETURN NULL;
  END $$;

  CREATE TRIGGER kept_outcomes_are_counted AFTER INSERT ON store_orders.kept_outcomes
    REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION store_orders.count_kept_outcomes();
  `,
  `
  -- Of no rows, the highest position is NULL, and no comparison with it is true.
  CREATE OR REPLACE FUNCTION store_orders.refuse_newer() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF (SELECT max(position) FROM removed) > coalesce(
       (SELECT max(position) FROM store_orders.refusals) - store_orders.kept_refusals(), 0) THEN
      RAISE EXCEPTION 'refusals is append-only: only the oldest of too many go';
    END IF;
    RETURN NULL;
  END $$;

  CREATE TRIGGER api_keys_are_never_deleted BEFORE DELETE OR TRUNCATE ON store_orders.api_keys
    FOR EACH STATEMENT EXECUTE FUNCTION store_orders.refuse();

  -- Limits that are taken away are empty, and never NULL again.
  CREATE FUNCTION store_orders.refuse_other_change_of_key() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF (NEW.id, NEW.name, NEW.hash, NEW.scopes, NEW.created_at, NEW.expires_at, NEW.number)
       IS NOT DISTINCT FROM
       (OLD.id, OLD.name, OLD.hash, OLD.scopes, OLD.created_at, OLD.expires_at, OLD.number) AND
       (CASE WHEN (NEW.revoked_at, NEW.checksum) IS NOT DISTINCT FROM (OLD.revoked_at, OLD.checksum)
         THEN NEW.limits IS NOT NULL AND length(NEW.limits_checksum) IS NOT DISTINCT FROM 32
         ELSE OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL AND
           NEW.checksum IS DISTINCT FROM OLD.checksum AND
           (NEW.limits, NEW.limits_checksum) IS NOT DISTINCT FROM (OLD.limits, OLD.limits_checksum)
       END) THEN
      RETURN NEW;
    END IF;
    RAISE EXCEPTION 'API keys are only added, limited and revoked';
  END $$;

  CREATE TRIGGER api_keys_are_only_revoked_or_limited BEFORE UPDATE ON store_orders.api_keys
    FOR EACH ROW EXECUTE FUNCTION store_orders.refuse_other_change_of_key();

  CREATE TRIGGER store_is_one BEFORE INSERT OR DELETE OR TRUNCATE ON store_orders.store
    FOR EACH STATEMENT EXECUTE FUNCTION store_orders.refuse();

  -- An empty store gets the id of the one that is copied into it.
  CREATE FUNCTION store_orders.refuse_other_id() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NEW.id IS NOT DISTINCT FROM OLD.id OR NOT EXISTS (SELECT FROM store_orders.events) THEN
      RETURN NEW;
    END IF;
    RAISE EXCEPTION 'the store keeps its id';
  END $$;

  CREATE TRIGGER store_keeps_its_id BEFORE UPDATE OF id ON store_orders.store
    FOR EACH ROW EXECUTE FUNCTION store_orders.refuse_other_id();
  `,
];
