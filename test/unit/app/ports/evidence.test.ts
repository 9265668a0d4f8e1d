import { expect, test } from 'vitest';
import { DamagedEvidence } from '../../../../src/app/ports/evidence.ts';

test('what cannot be read any further is told by name', () => {
  expect(String(new DamagedEvidence('torn'))).toBe('DamagedEvidence: torn');
});
