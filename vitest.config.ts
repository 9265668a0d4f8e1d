import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts', 'test/support/postgres/shared.ts'],
    setupFiles: ['test/support/native-modules.ts'],
    // Processes, sockets and disks are real here, and the machines are small.
    // Tests wait for processes and disks as often as for a processor: none is left idle.
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    coverage: {
      provider: 'v8',
      include: ['src/domain/**', 'src/app/**'],
      thresholds: { lines: 100, branches: 100, functions: 100, statements: 100 },
    },
  },
});
