import { defineConfig } from 'vitest/config';

/** The tests that judge a mutant: those of the pure parts, which need no process and no build. */
export default defineConfig({
  test: {
    include: ['test/{domain,app}/**/*.test.ts'],
    exclude: ['test/app/audit/{forgeries,verifier-package}.test.ts'],
    setupFiles: ['test/mutation/first-failure.ts'],
    // A test that a busy machine has slowed down has not noticed a mutant.
    testTimeout: 60_000,
    // Nobody reads how two lists of thousands differ.
    diff: { truncateThreshold: 10 },
  },
});
