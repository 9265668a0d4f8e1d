import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Test files that take 20 seconds or more, the longest first: started late, they would delay the
 * end.
 */
const LONGEST = [
  'test/e2e/http/slow-readers.test.ts',
  'test/contract/readability.test.ts',
  'test/docs/commands-alone.test.ts',
  'test/e2e/install/install.test.ts',
  'test/e2e/cli/follow.test.ts',
  'test/e2e/pages.test.ts',
  'test/e2e/full-disk.test.ts',
  'test/e2e/http/hostile-clients.test.ts',
  'test/e2e/audit-import.test.ts',
  'test/e2e/console/proof.test.ts',
  'test/e2e/output.test.ts',
  'test/kit-mutants/contract/scripts.test.ts',
  'test/docs/threats.test.ts',
  'test/e2e/console/log.test.ts',
  'test/long/chaos/chaos.test.ts',
  'test/e2e/postgres-wait.test.ts',
  'test/e2e/cli/audit-export.test.ts',
  'test/contract/postgres/impairments.test.ts',
  'test/bench/bench.test.ts',
  'test/long/flips/flips.test.ts',
  'test/e2e/cli/conformance.test.ts',
  'test/contract/postgres/own-sessions.test.ts',
  'test/e2e/cli/import-beside.test.ts',
  'test/e2e/snapshot.test.ts',
  'test/e2e/console/orders.test.ts',
  'test/contract/postgres/copy.test.ts',
  'test/e2e/stepped-clock.test.ts',
  'test/docs/refusals.test.ts',
  'test/kit/spec/trail.test.ts',
  'test/contract/sqlite/fold-source.test.ts',
  'test/e2e/open-files.test.ts',
  'test/docs/refusals-postgresql.test.ts',
  'test/contract/postgres/evidence.test.ts',
  'test/e2e/damaged-store.test.ts',
  'test/e2e/signing-key.test.ts',
  'test/contract/sqlite/waiting.test.ts',
  'test/e2e/console/frame.test.ts',
  'test/contract/postgres/lost-answers.test.ts',
];

/** Runs the longest files first, and the others in vitest's own order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const index = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}`));
      return index === -1 ? LONGEST.length : index;
    };
    return others.sort((a, b) => rank(a) - rank(b));
  }
}
