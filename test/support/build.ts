import { execFileSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';

/**
 * Builds `dist` before any test, unless it is newer than all of `src`: the tests that start the
 * service start what production starts, and never yesterday's.
 */
export function setup(): void {
  const changed = Math.max(
    ...globSync('src/**/*.{ts,json,css,svg}').map((file) => statSync(file).mtimeMs),
  );
  const built = statSync('dist/main.js', { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (built < changed) {
    execFileSync('npm', ['run', 'build'], { stdio: 'inherit' });
  }
}
