import { execFileSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';

/**
 * Builds `dist` before any test, unless it is newer than all that it is made from: the tests that
 * start the service start what production starts, and never yesterday's.
 */
export function setup(): void {
  const sources = globSync(['src/**/*.{ts,json,css,svg}', 'test/kit/**/*.ts']);
  const changed = Math.max(...sources.map((file) => statSync(file).mtimeMs));
  const results = ['dist/main.js', 'dist/testing/index.js'];
  const built = results.map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  if (Math.min(...built) < changed) execFileSync('npm', ['run', 'build'], { stdio: 'inherit' });
}
