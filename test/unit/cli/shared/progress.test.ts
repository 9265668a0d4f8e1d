import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withProgress } from '../../../../src/cli/shared/progress.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('without a terminal, a line shows the progress every two seconds', async () => {
  const output = new PassThrough();
  await withProgress(output, 'Counting', 8, async (advance) => {
    for (let done = 1; done <= 8; done++) {
      vi.advanceTimersByTime(500);
      advance(done);
    }
  });
  expect(String(output.read())).toBe('Counting: 50 %\nCounting: 100 %\n');
});

test('a line shows the progress of an unknown amount', async () => {
  for (const isTTY of [false, true]) {
    const output = Object.assign(new PassThrough(), { isTTY });
    await withProgress(output, 'Counting', 0, async (advance) => {
      vi.advanceTimersByTime(2_000);
      advance(5);
    });
    expect(String(output.read())).toBe('Counting: under way\n');
  }
});

test('the rate is shown if there is a unit', async () => {
  const output = new PassThrough();
  const count = async (advance: (done: number) => void) => {
    vi.advanceTimersByTime(2_000);
    advance(3_000_000);
  };
  await withProgress(output, 'Replaying', 4_000_000, count, 'events');
  expect(String(output.read())).toBe('Replaying: 75 %, 1,500,000 events/s\n');
  const terminal = Object.assign(new PassThrough(), { isTTY: true });
  await withProgress(terminal, 'Replaying', 4_000_000, count, 'events');
  expect(String(terminal.read())).toContain('left, 1,500,000 events/s');
});

test('on a terminal, the cursor is given back, even if the work fails', async () => {
  const output = Object.assign(new PassThrough(), { isTTY: true });
  const work = withProgress(output, 'Counting', 8, async (advance) => {
    advance(1);
    throw new Error('lost count');
  });
  await expect(work).rejects.toThrow('lost count');
  const drawn = String(output.read());
  expect(drawn).toContain('Counting');
  expect(drawn.lastIndexOf('\u001b[?25h')).toBeGreaterThan(drawn.lastIndexOf('\u001b[?25l'));
});
