import { expect, test } from 'vitest';
import { OverloadNotice } from '../../../../../src/app/write/queue/overload-notice.ts';

const LIMITS = { targetMs: 50, intervalMs: 500 };
const BEGUN = ['overloaded: commands are refused', { waiting: 7, targetMs: 50 }];

function noticed() {
  const lines: unknown[][] = [];
  const notice = new OverloadNotice((...line) => lines.push(line), LIMITS);
  return { notice, lines };
}

test('the first refusal is reported, and later ones only with the end', () => {
  const { notice, lines } = noticed();
  expect(notice.isOpen).toBe(false);
  notice.refused(2, 7, 1_000);
  expect([notice.isOpen, lines]).toStrictEqual([true, [BEGUN]]);
  notice.refused(3, 9, 1_200.4);
  expect([notice.isOpen, lines]).toStrictEqual([true, [BEGUN]]);

  notice.endIfOver(1_700);
  expect([notice.isOpen, lines]).toStrictEqual([true, [BEGUN]]);
  notice.endIfOver(1_700.4);
  const ended = ['no longer overloaded: commands are taken again', { refused: 5, durationMs: 200 }];
  expect([notice.isOpen, lines]).toStrictEqual([false, [BEGUN, ended]]);
});

test('nothing is reported without a refusal, and a second overload like the first', () => {
  const { notice, lines } = noticed();
  notice.endIfOver(9_000);
  expect([notice.isOpen, lines]).toStrictEqual([false, []]);
  notice.refused(1, 7, 9_000);
  notice.endIfOver(9_600);
  notice.endIfOver(9_700);
  expect(lines).toHaveLength(2);
  notice.refused(1, 7, 9_800);
  expect([notice.isOpen, lines[2]]).toStrictEqual([true, BEGUN]);
});
