import { createRequire } from 'node:module';
import { resolve } from 'node:path';

/** What the comparison uses of Emmett. */
const EMMETT_PACKAGES = ['@event-driven-io/emmett', '@event-driven-io/emmett-sqlite'];

/**
 * Where Emmett's modules are in a folder. It is no dependency of ours: its SQLite store needs the
 * package sqlite3, which has to be compiled.
 */
export function findEmmett(folder: string): readonly string[] {
  const require = createRequire(resolve(folder, 'package.json'));
  return EMMETT_PACKAGES.map((name) => require.resolve(name));
}

export function isEmmettIn(folder: string | undefined): folder is string {
  if (folder === undefined) return false;
  try {
    return findEmmett(folder).length === EMMETT_PACKAGES.length;
  } catch {
    return false;
  }
}
