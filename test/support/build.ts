import { build } from '../../tools/build.js';

/** Builds `dist` before any test, so that tests which start the service start the current code. */
export function setup(): void {
  build();
}
