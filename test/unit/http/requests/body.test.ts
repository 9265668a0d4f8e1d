import { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { jsonBody, readBody } from '../../../../src/http/requests/body.ts';

/** Returns the value of a body as the step reads it. */
async function read(text: string): Promise<unknown> {
  const headers = { 'content-length': String(Buffer.byteLength(text)) };
  const req = Object.assign(Readable.from([Buffer.from(text)]), { headers, context: {} });
  await jsonBody(1_000_000)(req as unknown as Request, {} as Response, () => {});
  return (req as unknown as { body: unknown }).body;
}

test.each([
  ['1.1', '100-continue', 1],
  ['1.1', '100-Continue, later', 1],
  ['1.1', 'later', 0],
  ['1.1', undefined, 0],
  ['1.0', '100-continue', 0],
  ['1.0', undefined, 0],
])(
  'HTTP/%s with the expectation %s gets 100 Continue: %i',
  async (httpVersion, expected, times) => {
    const headers = { 'content-length': '1', expect: expected };
    const req = Object.assign(Readable.from([Buffer.of(48)]), {
      headers,
      httpVersion,
      context: {},
    });
    const res = { writeContinue: vi.fn() };
    const body = await readBody(req as unknown as Request, res as unknown as Response, 1);
    expect(String(body)).toBe('0');
    expect(res.writeContinue).toHaveBeenCalledTimes(times);
  },
);

test('the time of a body that never arrives is that of its client', async () => {
  const context = { bodyMs: 0 };
  const req = Object.assign(new Readable({ read() {} }), {
    headers: { 'content-length': '1' },
    context,
  });
  const body = readBody(req as unknown as Request, {} as Response, 1);
  expect(context.bodyMs).toBeLessThan(0);
  setTimeout(() => req.destroy(), 20);
  await expect(body).rejects.toThrow();
  expect(context.bodyMs).toBeGreaterThan(10);
});

/** Every whole number of up to 19 digits as a bigint: by a look at each value. */
function exact(text: string): unknown {
  return JSON.parse(text, (_name, value, context?: { source?: string }) => {
    const { source = '' } = context ?? {};
    return typeof value === 'number' && /^-?\d{1,19}$/.test(source) ? BigInt(source) : value;
  });
}

test('every whole number is exact, wherever it stands, and every text stays as it is', async () => {
  const texts = fc.oneof(fc.constantFrom(':1', ',-2', '[3', '4', '"', ' '), fc.string());
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      texts,
      fc.constantFrom(null, true),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(texts, tie('value'), { maxKeys: 3, noNullPrototype: true }),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(value, fc.constantFrom('', ' ', '\n\t'), async (value, blanks) => {
      const text = JSON.stringify(value, undefined, blanks);
      expect(await read(text)).toEqual(exact(text));
    }),
  );
});

test.each([
  ['9007199254740993', 9_007_199_254_740_993n],
  [' -1', -1n],
  ['[ 1,\n-2]', [1n, -2n]],
  ['{"a" :\t3}', { a: 3n }],
  ['["1"]', ['1']],
])('%s is exact', async (text, value) => {
  expect(await read(text)).toEqual(value);
});

test('a body that is nested too deeply is no syntax error', async () => {
  const depth = 60_000;
  const nested = `[1,${'['.repeat(depth)}${']'.repeat(depth)}]`;
  await expect(read(nested)).rejects.toThrow(/^The body is nested too deeply\.$/);
});
