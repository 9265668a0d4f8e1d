import { build } from '../../tools/build.js';

/**
 * Builds `dist` before any test: the tests that start the service start what production starts, and
 * never yesterday's.
 */
export function setup(): void {
  build();
}
