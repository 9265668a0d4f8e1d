/** Returns the notice that a start has migrated the store of an earlier version: its words, and details. */
export function migratedNotice(from: number, to: number) {
  return ['the store was migrated to the schema of this version', { from, to }] as const;
}
