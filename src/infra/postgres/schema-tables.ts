/**
 * The tables of the schema as the catalog of PostgreSQL describes them, for the check of a store:
 * for each version of the schema, the objects that it added. A test compares them with what the
 * migrations create.
 */

/** The kind, name and definition of each table, column, constraint, index and sequence, a line each. */
export const TABLES: readonly string[] = [
  `
  table api_keys
  column api_keys.created_at text COLLATE "C" NOT NULL
  column api_keys.expires_at text
  column api_keys.hash bytea NOT NULL
  column api_keys.id text COLLATE "C" NOT NULL
  column api_keys.name text NOT NULL
  column api_keys.number bigint NOT NULL IDENTITY
  column api_keys.revoked_at text
  column api_keys.scopes text NOT NULL
  index api_keys_pkey PRIMARY KEY (id)
  sequence api_keys_number_seq
  table events
  column events.data text NOT NULL
  column events.metadata text NOT NULL
  column events.order_id bigint NOT NULL
  column events.position bigint NOT NULL
  column events.schema_version integer NOT NULL
  column events.type text NOT NULL
  column events.version integer NOT NULL
  constraint events_position_check CHECK (("position" > 0))
  index events_pkey PRIMARY KEY ("position")
  table kept_outcomes
  column kept_outcomes.asked_by text COLLATE "C" NOT NULL
  column kept_outcomes.fingerprint text NOT NULL
  column kept_outcomes.key text COLLATE "C" NOT NULL
  column kept_outcomes.order_id bigint
  column kept_outcomes.refusal text
  column kept_outcomes.version integer
  index kept_outcomes_pkey PRIMARY KEY (asked_by, key)
  table refusals
  column refusals.position bigint NOT NULL
  column refusals.record text NOT NULL
  constraint refusals_position_check CHECK (("position" > 0))
  index refusals_pkey PRIMARY KEY ("position")
  table store
  column store.id text NOT NULL
  column store.is_whole boolean NOT NULL DEFAULT true
  column store.schema_version integer NOT NULL
  table tree
  column tree.edge bytea NOT NULL
  table tree_nodes
  column tree_nodes.hash bytea NOT NULL
  column tree_nodes.height integer NOT NULL
  column tree_nodes.place bigint NOT NULL
  index tree_nodes_pkey PRIMARY KEY (height, place)
  `,
  `
  table signing_keys
  column signing_keys.number integer NOT NULL
  column signing_keys.since text COLLATE "C" NOT NULL
  column signing_keys.verifier_key text COLLATE "C" NOT NULL
  index signing_keys_pkey PRIMARY KEY (number)
  `,
  `
  column api_keys.checksum bytea NOT NULL
  column kept_outcomes.checksum bytea NOT NULL
  `,
  `
  table epochs
  column epochs.number integer NOT NULL
  column epochs.statement text NOT NULL
  constraint epochs_number_check CHECK ((number > 0))
  index epochs_pkey PRIMARY KEY (number)
  column store.home text
  `,
  `
  column api_keys.limits text
  column api_keys.limits_checksum bytea
  `,
  `
  table event_traces
  column event_traces.position bigint NOT NULL
  column event_traces.traceparent text NOT NULL
  index event_traces_pkey PRIMARY KEY ("position")
  `,
  `
  table key_changes
  column key_changes.change integer NOT NULL
  column key_changes.checksum bytea NOT NULL
  column key_changes.id text COLLATE "C" NOT NULL
  column key_changes.limits_checksum bytea
  index key_changes_pkey PRIMARY KEY (id, change)
  column store.kept_outcomes bigint NOT NULL DEFAULT 0
  `,
  '',
];
