import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Test files that take 20 seconds or more, the longest first: started late, they would delay the
 * end.
 */
const LONGEST = [
  'test/docs/commands-alone.test.ts',
  'test/e2e/pages.test.ts',
  'test/e2e/install/install.test.ts',
  'test/e2e/output.test.ts',
  'test/e2e/audit-import.test.ts',
  'test/bench/bench.test.ts',
  'test/long/chaos/chaos.test.ts',
  'test/e2e/console/orders.test.ts',
  'test/e2e/signing-key.test.ts',
  'test/e2e/console/proof.test.ts',
  'test/e2e/full-disk.test.ts',
  'test/e2e/console/log.test.ts',
  'test/e2e/http/slow-readers.test.ts',
  'test/docs/threats.test.ts',
  'test/e2e/console/travel.test.ts',
  'test/e2e/http/model.test.ts',
  'test/e2e/console/frame.test.ts',
  'test/docs/refusals.test.ts',
  'test/e2e/stepped-clock.test.ts',
  'test/e2e/postgres-wait.test.ts',
  'test/kit/levels.test.ts',
  'test/kit/spec/specification.test.ts',
  'test/kit/spec/traces.test.ts',
  'test/long/world/world.test.ts',
  'test/kit-mutants/contract/faults.test.ts',
  'test/kit-mutants/contract/scripts.test.ts',
  'test/kit-mutants/mutants.test.ts',
  'test/e2e/http/list-orders.test.ts',
  'test/e2e/http/fuzz.test.ts',
  'test/e2e/console/demo.test.ts',
  'test/e2e/cli/audit-export.test.ts',
  'test/docs/observability.test.ts',
  'test/e2e/deployment/container.test.ts',
  'test/e2e/stop.test.ts',
  'test/e2e/console/cut-log.test.ts',
  'test/contract/postgres/own-sessions.test.ts',
  'test/contract/postgres/evidence.test.ts',
  'test/contract/sqlite/evidence.test.ts',
  'test/e2e/http/hostile-clients.test.ts',
  'test/e2e/event-stream.test.ts',
  'test/e2e/http/rate-limit.test.ts',
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
