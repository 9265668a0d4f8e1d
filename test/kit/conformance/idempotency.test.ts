import { expect, test } from 'vitest';
import { IDEMPOTENCY } from '../../kit-mutants/contract/promises.ts';
import { firstFailure } from '../../kit-mutants/contract/table.ts';
import { partByDay } from '../../support/nightly.ts';

test.each(partByDay(IDEMPOTENCY, 2))('conformance finds out that $name', async (fault) => {
  expect(await firstFailure(fault, 1, false)).toMatch(/Idempotency-Key/);
});
