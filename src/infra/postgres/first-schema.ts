/** The statements that make version 1 of the schema of a store in PostgreSQL. */

import { MAX_REFUSALS } from '../../app/ports/refusal-trail.ts';

export const FIRST_SCHEMA = `
  CREATE TABLE store_orders.store (
    id             text NOT NULL,
    schema_version integer NOT NULL,
    -- False while another store is being copied into this one.
    is_whole       boolean NOT NULL DEFAULT true
  );
  INSERT INTO store_orders.store
    SELECT left(replace(gen_random_uuid()::text, '-', ''), 8)
        || right(replace(gen_random_uuid()::text, '-', ''), 8), 0;

  -- What is hashed is the stored text, so it is text, and nothing that PostgreSQL would rewrite.
  CREATE TABLE store_orders.events (
    position       bigint PRIMARY KEY CHECK (position > 0),
    order_id       bigint NOT NULL,
    version        integer NOT NULL,
    type           text NOT NULL,
    schema_version integer NOT NULL,
    data           text NOT NULL,
    metadata       text NOT NULL
  );

  CREATE FUNCTION store_orders.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION '% is append-only: no %', TG_TABLE_NAME, TG_OP;
  END $$;

  CREATE TRIGGER events_never_change BEFORE UPDATE OR DELETE OR TRUNCATE ON store_orders.events
    FOR EACH STATEMENT EXECUTE FUNCTION store_orders.refuse();

  -- No two rows have the same position, so rows that follow each other, the first of which follows
  -- one that is there and the last of which is the last of all, leave no gap and stand at the end.
  -- One look for each statement, whatever the number of its rows.
${refuseGapIn('events')}
  -- What commands with an idempotency key came to, recorded in the transaction of their events.
  CREATE TABLE store_orders.kept_outcomes (
    asked_by    text COLLATE "C" NOT NULL,
    key         text COLLATE "C" NOT NULL,
    fingerprint text NOT NULL,
    order_id    bigint,
    version     integer,
    refusal     text,
    PRIMARY KEY (asked_by, key)
  );

  CREATE TRIGGER kept_outcomes_never_change
    BEFORE UPDATE OR DELETE OR TRUNCATE ON store_orders.kept_outcomes
    FOR EACH STATEMENT EXECUTE FUNCTION store_orders.refuse();

  -- The log as a Merkle tree (docs/adr/0011): its right edge, and one node in 256. The edge begins
  -- with its size, which is the log's head; its row is the lock that every append takes.
  CREATE TABLE store_orders.tree (
    edge bytea NOT NULL
  ) WITH (fillfactor = 10);
  INSERT INTO store_orders.tree VALUES ('\\x0000000000000000');

  CREATE TABLE store_orders.tree_nodes (
    height integer NOT NULL,
    place  bigint NOT NULL,
    hash   bytea NOT NULL,
    PRIMARY KEY (height, place)
  );

  CREATE TRIGGER tree_is_one BEFORE INSERT OR DELETE OR TRUNCATE ON store_orders.tree
    FOR EACH STATEMENT EXECUTE FUNCTION store_orders.refuse();

  CREATE FUNCTION store_orders.refuse_shrinking() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'the tree of the log only grows';
  END $$;

  CREATE TRIGGER tree_only_grows BEFORE UPDATE ON store_orders.tree
    FOR EACH ROW WHEN (substr(NEW.edge, 1, 8) <= substr(OLD.edge, 1, 8))
    EXECUTE FUNCTION store_orders.refuse_shrinking();

  CREATE TRIGGER tree_nodes_never_change
    BEFORE UPDATE OR DELETE OR TRUNCATE ON store_orders.tree_nodes
    FOR EACH STATEMENT EXECUTE FUNCTION store_orders.refuse();

  -- What was refused to whom, beside the log.
  CREATE TABLE store_orders.refusals (
    position bigint PRIMARY KEY CHECK (position > 0),
    record   text NOT NULL
  );

  CREATE FUNCTION store_orders.kept_refusals() RETURNS bigint LANGUAGE sql IMMUTABLE
    AS 'SELECT ${MAX_REFUSALS}::bigint';

${refuseGapIn('refusals')}
  CREATE TRIGGER refusals_never_change BEFORE UPDATE OR TRUNCATE ON store_orders.refusals
    FOR EACH STATEMENT EXECUTE FUNCTION store_orders.refuse();

  CREATE FUNCTION store_orders.refuse_newer() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF (SELECT max(position) FROM removed) >
       (SELECT max(position) FROM store_orders.refusals) - store_orders.kept_refusals() THEN
      RAISE EXCEPTION 'refusals is append-only: only the oldest of too many go';
    END IF;
    RETURN NULL;
  END $$;

  CREATE TRIGGER only_the_oldest_are_deleted AFTER DELETE ON store_orders.refusals
    REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION store_orders.refuse_newer();

  -- Names are JSON texts: PostgreSQL cannot store the character 0.
  CREATE TABLE store_orders.api_keys (
    id         text COLLATE "C" PRIMARY KEY,
    name       text NOT NULL,
    hash       bytea NOT NULL,
    scopes     text NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    expires_at text,
    revoked_at text,
    number     bigint GENERATED ALWAYS AS IDENTITY
  );
`;

/** Returns the trigger that refuses an inserted row unless its position is the next one. */
function refuseGapIn(table: 'events' | 'refusals'): string {
  // PostgreSQL plans the statements of a function once for a session, possibly while the table is
  // almost empty. Both statements are written so that even then the plan uses the index.
  return `
  CREATE FUNCTION store_orders.refuse_gap_in_${table}() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    first bigint;
    last  bigint;
    count bigint;
    head  bigint;
  BEGIN
    SELECT min(position), max(position), count(*) INTO first, last, count FROM added;
    IF count = 0 THEN RETURN NULL; END IF;
    SELECT max(position) INTO head FROM store_orders.${table};
    IF last - first + 1 <> count OR last <> head OR first > 1 AND
       NOT EXISTS (SELECT FROM store_orders.${table} WHERE position = first - 1) THEN
      RAISE EXCEPTION '% is append-only: the position is not the next', TG_TABLE_NAME;
    END IF;
    RETURN NULL;
  END $$;

  CREATE TRIGGER ${table}_are_dense AFTER INSERT ON store_orders.${table}
    REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION store_orders.refuse_gap_in_${table}();
`;
}
