import { defineConfig } from 'vitest/config';

/** The tests that judge a mutant: those of the pure parts, which need no process and no build. */
export default defineConfig({
  test: {
    include: ['test/unit/{domain,app}/**/*.test.ts', 'test/contract/sqlite/evidence.test.ts'],
    exclude: ['test/unit/app/audit/proofs/forgeries.test.ts'],
    // A thread cannot run the changed code, and the store is then checked by one. Faults of the pipeline
    // are planted in its text, which Stryker has changed.
    testNamePattern:
      /^(?!.*(?:is found intact by two threads|that is broken(?: >)? does not hold))/,
    setupFiles: ['test/long/mutation/first-failure.ts'],
    // A test that a busy machine has slowed down has not noticed a mutant.
    testTimeout: 60_000,
    // Nobody reads how two lists of thousands differ.
    diff: { truncateThreshold: 10 },
  },
});
