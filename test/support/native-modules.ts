import { registerHooks } from 'node:module';

/**
 * Gives modules that Node loads itself, bypassing vitest, URLs of their own. The event codec loads
 * its schema that way, and with it a second copy of modules of the domain; the pipeline's planted
 * faults load others. With equal URLs the coverage of both copies would be merged line by line,
 * although their texts differ.
 */
const REGISTERED = Symbol.for('store-orders.native-modules');

// Files that share a worker run this once each, and one hook is enough.
if (!(REGISTERED in globalThis)) {
  Object.assign(globalThis, { [REGISTERED]: true });
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const resolved = nextResolve(specifier, context);
      const isOurs = /\/src\/(?:domain|app)\/.*\.ts$/.test(resolved.url);
      return isOurs ? { ...resolved, url: `${resolved.url}?native` } : resolved;
    },
  });
}
