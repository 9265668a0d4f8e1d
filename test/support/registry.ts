import { spawnSync } from 'node:child_process';

/** True if the registry is unreachable: then tests that install are skipped, except in CI. */
export const isOffline =
  process.env.INSTALLS !== 'required' &&
  spawnSync('npm', ['view', 'npm', 'version'], { timeout: 20_000 }).status !== 0;
