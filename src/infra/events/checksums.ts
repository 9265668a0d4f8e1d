/**
 * Checksums of the rows that are in no proof: API keys, their limits and kept outcomes. Each is the
 * SHA-256 of a prefix of its own and of every column, each with its type and length, so that no two
 * share a text. It reveals changes by a disk, and changes by hand without this program.
 */

import { hash } from 'node:crypto';
import { DamagedStore } from '../../app/ports/store.ts';

export type Column = string | number | bigint | Buffer | null;

/** Prefixes of the hashed texts. PostgreSQL's migration contains those of whole tables, too. */
export const DOMAINS = {
  api_keys: 'store-orders api key 1;',
  key_limits: 'store-orders key limits 1;',
  kept_outcomes: 'store-orders kept outcome 1;',
} as const;

/** Returns the checksum of a row, 32 bytes. A value of another type has another checksum. */
export function checksumOf(kind: keyof typeof DOMAINS, columns: readonly Column[]): Buffer {
  let text: string = DOMAINS[kind];
  for (const column of columns) text += columnText(column);
  return hash('sha256', text, 'buffer');
}

/** Throws {@link DamagedStore} unless a row has the checksum of its columns. */
export function requireChecksum(
  kind: keyof typeof DOMAINS,
  columns: readonly Column[],
  checksum: unknown,
): void {
  const isWhole = Buffer.isBuffer(checksum) && checksumOf(kind, columns).equals(checksum);
  if (!isWhole) {
    const table = kind === 'key_limits' ? 'api_keys' : kind;
    const name = columns.slice(0, KEY_COLUMNS[kind]).map(String).join(' ');
    throw new DamagedStore(`the row ${JSON.stringify(name)} of ${table} is not as it was recorded`);
  }
}

/** Columns in the primary key of each row, which come first. */
const KEY_COLUMNS = { api_keys: 1, key_limits: 1, kept_outcomes: 2 } as const;

function columnText(column: Column): string {
  if (column === null) return 'n;';
  if (typeof column === 'string') return `s${Buffer.byteLength(column)}:${column};`;
  return Buffer.isBuffer(column) ? `b${column.toString('hex')};` : `i${column};`;
}

/**
 * Returns the SQL by which PostgreSQL computes the same checksum, for a migration.
 * @param types The types of the columns that hold no text.
 */
export function checksumInPostgres(
  table: keyof typeof DOMAINS,
  columns: readonly string[],
  types: Readonly<Record<string, 'bytea' | 'integer'>>,
): string {
  const texts = columns.map((name) => {
    const text = {
      text: `'s' || octet_length(convert_to(${name}, 'UTF8')) || ':' || ${name} || ';'`,
      bytea: `'b' || encode(${name}, 'hex') || ';'`,
      integer: `'i' || ${name} || ';'`,
    }[types[name] ?? 'text'];
    return `coalesce(${text}, 'n;')`;
  });
  return `sha256(convert_to('${DOMAINS[table]}' || ${texts.join(' || ')}, 'UTF8'))`;
}
