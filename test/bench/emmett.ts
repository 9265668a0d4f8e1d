import { createRequire } from 'node:module';
import { resolve } from 'node:path';

/** The modules of Emmett in the comparison: its core, and the store of an engine. */
const CORE = '@event-driven-io/emmett';
const STORES = {
  sqlite: '@event-driven-io/emmett-sqlite',
  postgresql: '@event-driven-io/emmett-postgresql',
};
export type Engine = keyof typeof STORES;

/**
 * Returns the paths of Emmett's modules in a folder: the core, and the store of an engine. Emmett
 * is not a dependency of the project: its SQLite store needs the package sqlite3, which has to be
 * compiled.
 */
export function findEmmett(folder: string, engine: Engine = 'sqlite'): readonly string[] {
  const require = createRequire(resolve(folder, 'package.json'));
  return [CORE, STORES[engine]].map((name) => require.resolve(name));
}

export function isEmmettIn(
  folder: string | undefined,
  engine: Engine = 'sqlite',
): folder is string {
  if (folder === undefined) return false;
  try {
    return findEmmett(folder, engine).length > 0;
  } catch {
    return false;
  }
}
