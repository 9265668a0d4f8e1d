import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';
import { isNightly } from './test/support/nightly.ts';

const NATIVE_MODULES = 'test/support/native-modules.ts';

// Far above what a busy machine takes: it ends what hangs, and says nothing of speed. Some tests draw
// hundreds of times as many cases at night.
const PATIENCE_MS = isNightly ? 1_200_000 : 240_000;
const expect = { poll: { timeout: 60_000 } };

/**
 * Tests of the time in which the service answers, or of the share of a processor that it gets. They run
 * one by one, after all others, so that what they measure is the service.
 */
const TIMED = [
  'test/long/fairness/*.test.ts',
  'test/long/overload/*.test.ts',
  'test/e2e/overload.test.ts',
  'test/e2e/postgres-away.test.ts',
  'test/e2e/postgres-outage.test.ts',
  'test/e2e/stop-slow-readers.test.ts',
];

/** Tests that replace a module, which would stay replaced for other files of the same worker. */
const ALONE = ['test/contract/sqlite/without-fast-path.test.ts'];

/** Whole files that take too long for every change; `npm run test:nightly` runs them as well. */
const ONLY_NIGHTLY = isNightly ? [] : ['test/**/*.nightly.test.ts'];

/** A project for users to copy, with a file for each test runner: test/e2e/install runs them. */
const STARTER = 'test/kit/starter/**';

/** The package of the testing kit is tested from its sources. */
const KIT = { 'store-orders-testing': join(import.meta.dirname, 'test/kit/aggregate/index.ts') };

const BUILD = 'test/support/build.ts';

/** What every suite with processes needs. */
const SERVICE = {
  globalSetup: [BUILD, 'test/support/postgres/shared.ts'],
  setupFiles: [NATIVE_MODULES, 'test/support/endings.ts'],
  // Thousands of processes load the same modules. It is npm's own folder.
  env: { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') },
  testTimeout: PATIENCE_MS,
  hookTimeout: PATIENCE_MS,
  expect,
};

// A run of the projects one by one leaves a report of each in this folder, if it is set.
const { TEST_REPORTS } = process.env;

export default defineConfig({
  test: {
    // Tests wait for processes, sockets and disks as well as for a processor. More workers than this
    // save no time: the processors are busy, and each test takes longer.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    ...(TEST_REPORTS && {
      reporters: ['default', ['json', { outputFile: join(TEST_REPORTS, `${process.pid}.json`) }]],
    }),
    // Of the unit tests alone: they reach everything by themselves.
    coverage: {
      provider: 'v8',
      include: ['src/domain/**', 'src/app/**'],
      thresholds: { lines: 100, branches: 100, functions: 100, statements: 100 },
    },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          setupFiles: [NATIVE_MODULES],
          // Modules are loaded once for all of them, which takes longer than most of the tests.
          isolate: false,
          testTimeout: PATIENCE_MS,
          expect,
        },
      },
      {
        resolve: { alias: KIT },
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude: ['test/unit/**', STARTER, ...TIMED, ...ALONE, ...ONLY_NIGHTLY],
          // A worker's start takes 0.6 s of a processor for each file, a twelfth of the whole.
          isolate: false,
          ...SERVICE,
        },
      },
      { test: { ...SERVICE, name: 'alone', include: ALONE, globalSetup: BUILD } },
      {
        test: {
          name: 'timed',
          include: TIMED,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          ...SERVICE,
        },
      },
    ],
  },
});
