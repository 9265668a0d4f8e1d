import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonLine } from '../../../../src/cli/shared/results.ts';
import { asJson } from '../../../../src/cli/shared/verify-report.ts';
import { anyText } from '../../../support/any-text.ts';

test('a line of JSON is the value to its reader, and has nothing that controls a terminal', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      const line = jsonLine({ text });
      expect(JSON.parse(line)).toEqual({ text });
      expect(line).toMatch(/^\P{Cc}*\n$/u);
    }),
  );
  expect(jsonLine({ text: '\u007f\u009b2J' })).toBe('{"text":"\\u007f\\u009b2J"}\n');
  const report = {
    checked: 'receipt',
    checkpoints: [],
    findings: [{ problem: '\u009b2J' }],
  } as const;
  expect(asJson(report)).toContain(String.raw`"problem": "\u009b2J"`);
});
