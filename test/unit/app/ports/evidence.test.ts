import { expect, test } from 'vitest';
import { DamagedEvidence } from '../../../../src/app/ports/evidence.ts';

test('the error has a name of its own', () => {
  expect(String(new DamagedEvidence('torn'))).toBe('DamagedEvidence: torn');
});
