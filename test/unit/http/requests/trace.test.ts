import fc from 'fast-check';
import { expect, it } from 'vitest';
import { clientIdsIn } from '../../../../src/http/requests/trace.ts';
import { anyText } from '../../../support/any-text.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const traceOf = (traceparent: string) => clientIdsIn({ traceparent }).traceId;

it('reads the ids of the trace, of this version and of later ones', () => {
  for (const text of [
    `00-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-00`,
    `01-${TRACE}-${SPAN}-01`,
    `cc-${TRACE}-${SPAN}-01-what-the-future-will-be-like`,
  ]) {
    expect(clientIdsIn({ traceparent: text }), text).toMatchObject({
      traceId: TRACE,
      parentSpanId: SPAN,
    });
  }
});

it.each([
  ['version ff', `ff-${TRACE}-${SPAN}-01`],
  ['more than version 00 has', `00-${TRACE}-${SPAN}-01-x`],
  ['a later version without a delimiter', `01-${TRACE}-${SPAN}-01x`],
  ['uppercase letters', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
  ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ['a short trace', `00-${TRACE.slice(1)}-${SPAN}-01`],
  ['a long trace', `00-${TRACE}0-${SPAN}-01`],
  ['no flags', `00-${TRACE}-${SPAN}`],
  ['two of them', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
  ['blanks around it', ` 00-${TRACE}-${SPAN}-01 `],
  ['nothing', ''],
])('reads no trace from %s', (_, text) => {
  expect(clientIdsIn({ traceparent: text })).toEqual({});
});

it('reads no trace from a text with one character changed, unless it is another valid one', () => {
  const valid = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
  const later = /^(?!ff|00)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
  const text = `00-${TRACE}-${SPAN}-01`;
  fc.assert(
    fc.property(fc.nat(text.length - 1), anyText({ maxLength: 2 }), (at, put) => {
      const changed = text.slice(0, at) + put + text.slice(at + 1);
      expect(traceOf(changed) !== undefined).toBe(valid.test(changed) || later.test(changed));
    }),
    { numRuns: 1_000 },
  );
});

it.each([
  ['6f1c6ab2-9d0e-4a57-8c1f-0c6b8c1d2e3f', '6f1c6ab2-9d0e-4a57-8c1f-0c6b8c1d2e3f'],
  ['checkout.42', 'checkout.42'],
  ['1', '1'],
  ['sto_Hs6IzlXByd_0123456789012345678901234567890123456789012345678', '…'],
  ['0123456789abcdef', '…'],
  ['a b', '…'],
  ['line\nbreak', '…'],
  ['', '…'],
])('shows only plain X-Request-Ids: %j', (sent, shown) => {
  expect(clientIdsIn({ 'x-request-id': sent }).clientRequestId).toBe(shown);
});

it('shows nothing if nothing was sent', () => {
  expect(clientIdsIn({ accept: '*/*' })).toEqual({});
});
