import { execFileSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';

/**
 * Builds `dist` before any test, unless it is newer than all that it is made from: the tests that
 * start the service start what production starts, and never yesterday's.
 */
export function setup(): void {
  build('tsconfig.testing.json', 'test/kit', 'dist/testing/index.js');
  build('tsconfig.build.json', 'src', 'dist/main.js');
}

function build(project: string, sources: string, result: string): void {
  const changed = Math.max(
    ...globSync(`${sources}/**/*.{ts,json}`).map((file) => statSync(file).mtimeMs),
  );
  const built = statSync(result, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (built >= changed) return;
  execFileSync('node_modules/.bin/tsc', ['-p', project], { stdio: 'inherit' });
}
