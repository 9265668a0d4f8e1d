import { describe, expect, it, test } from 'vitest';
import { causeOf, retryAfterOf } from '../../../src/app/outgoing.ts';

describe('The wait that an answer sets', () => {
  test.each([
    ['0', 0],
    ['120', 120_000],
    ['999999', 999_999_000],
    ['1000000', undefined],
    ['Wed, 25 Nov 2026 02:00:00 GMT', undefined],
    ['', undefined],
  ])('Retry-After: %s is %s ms', (text, expected) => {
    expect(retryAfterOf(new Headers({ 'Retry-After': text }))).toBe(expected);
  });

  it('is none without the header', () => {
    expect(retryAfterOf(new Headers())).toBeUndefined();
  });
});

describe('The reason of a failed request', () => {
  it('is that of the cause, if it has one', () => {
    expect(causeOf(new Error('fetch failed', { cause: new Error('ECONNREFUSED') }))).toBe(
      'ECONNREFUSED',
    );
    expect(causeOf(new Error('fetch failed', { cause: new Error('') }))).toBe('fetch failed');
    expect(causeOf(new Error('fetch failed'))).toBe('fetch failed');
  });
});
