import { describe, expect, it } from 'vitest';
import { bodyOf, causeOf } from '../../../src/app/outgoing.ts';

describe('The reason of a failed request', () => {
  it('is that of the cause, if it has one', () => {
    expect(causeOf(new Error('fetch failed', { cause: new Error('ECONNREFUSED') }))).toBe(
      'ECONNREFUSED',
    );
    expect(causeOf(new Error('fetch failed', { cause: new Error('') }))).toBe('fetch failed');
    expect(causeOf(new Error('fetch failed'))).toBe('fetch failed');
  });
});

describe('The body of an answer', () => {
  it('is read up to a length, and not beyond it', async () => {
    expect(await bodyOf(new Response('four'), 4)).toEqual(Buffer.from('four'));
    expect(await bodyOf(new Response('fives'), 4)).toBeUndefined();
    expect(await bodyOf(new Response(null, { status: 204 }), 4)).toEqual(Buffer.alloc(0));
    let read = 0;
    const endless = new ReadableStream({
      pull: (controller) => {
        read += 1;
        controller.enqueue(new Uint8Array(10));
      },
    });
    expect(await bodyOf(new Response(endless), 25)).toBeUndefined();
    expect(read).toBeLessThan(10);
  });
});
