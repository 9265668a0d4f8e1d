/** The triggers of a store in SQLite that refuse changes of its tables, and that record those of keys. */

/** Returns the triggers that refuse to update or delete a table's rows. */
export function noChangesTo(table: string, words: string): string {
  return `  CREATE TRIGGER ${table}_are_never_updated BEFORE UPDATE ON ${table}
  BEGIN SELECT RAISE(ABORT, '${words}: no UPDATE'); END;

  CREATE TRIGGER ${table}_are_never_deleted BEFORE DELETE ON ${table}
  BEGIN SELECT RAISE(ABORT, '${words}: no DELETE'); END;`;
}

/** Returns the trigger that refuses an inserted row unless its number is the next one. */
export function noGapsIn(table: string, column: string, words: string): string {
  return `  CREATE TRIGGER ${table}_are_dense BEFORE INSERT ON ${table}
  WHEN NEW.${column} IS NOT (SELECT coalesce(max(${column}), 0) + 1 FROM ${table})
  BEGIN SELECT RAISE(ABORT, '${words}'); END;`;
}

/** Returns the trigger that records the checksums of a changed API key. */
export function keepKeyChanges(on: string): string {
  return `  CREATE TRIGGER each_${on.toLowerCase()}_of_a_key_is_kept AFTER ${on} ON api_keys
  BEGIN
    INSERT INTO key_changes
      SELECT NEW.id, coalesce(max(change), 0) + 1, NEW.checksum, NEW.limits_checksum
        FROM key_changes WHERE id = NEW.id;
  END;`;
}

/**
 * Returns the trigger that refuses to insert a row in the place of another.
 * @param isSame The condition for a row that REPLACE would delete.
 */
export function noReplacementIn(table: string, isSame: string, words: string): string {
  return `  CREATE TRIGGER ${table}_are_never_replaced BEFORE INSERT ON ${table}
  WHEN EXISTS (SELECT 1 FROM ${table} WHERE ${isSame})
  BEGIN SELECT RAISE(ABORT, '${words}: no REPLACE'); END;`;
}

/**
 * Returns the trigger that refuses to insert a row beside events that are not in the log.
 * @param isAhead The condition for one, by the position of the newest event, `head`.
 */
export function notAhead(table: string, isAhead: string, words: string): string {
  return `  CREATE TRIGGER ${table}_are_of_events BEFORE INSERT ON ${table}
  WHEN (SELECT ${isAhead} FROM (SELECT coalesce(max(position), 0) AS head FROM events))
  BEGIN SELECT RAISE(ABORT, '${words}'); END;`;
}
