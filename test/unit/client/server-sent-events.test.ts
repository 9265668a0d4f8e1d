import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { messagesIn } from '../../../src/client/server-sent-events.ts';

async function read(...pieces: readonly string[]) {
  const given = (async function* () {
    yield* pieces;
  })();
  return Array.fromAsync(messagesIn(given));
}

it.each([
  ['an event', 'id: 1\ndata: {}\n\n', [{ id: '1', data: '{}' }]],
  ['an id alone', 'id: 7\n\n', [{ id: '7', data: undefined }]],
  ['no message in comments and waits', ':\n\nretry: 1000\n\n: x\n\n', []],
  ['no fields in comments, or of longer names', ': id: 1\n: data: a\nx-id: 2\nidx: 3\n\n', []],
  [
    'line separators of Unicode, which end no line',
    'id: 1\ndata: "a\u2028b\u2029\u0085c"\n\n',
    [{ id: '1', data: '"a\u2028b\u2029\u0085c"' }],
  ],
  ['data of several lines', 'data: a\ndata:b\ndata\n\n', [{ id: undefined, data: 'a\nb\n' }]],
  [
    'an id that stays',
    'id: 1\ndata: a\n\ndata: b\n\n',
    [
      { id: '1', data: 'a' },
      { id: '1', data: 'b' },
    ],
  ],
  ['nothing that was cut off', 'id: 1\ndata: a\n\nid: 2\ndata: b\n', [{ id: '1', data: 'a' }]],
  [
    'every line end',
    'id: 1\r\ndata: a\r\rdata: b\n\r\n',
    [
      { id: '1', data: 'a' },
      { id: '1', data: 'b' },
    ],
  ],
])('A stream has %s', async (_, text, messages) => {
  expect(await read(text)).toStrictEqual(messages);
});

test('A line of many pieces takes linear time', async () => {
  const timeOf = async (pieces: number) => {
    const given = (async function* () {
      yield 'data: ';
      for (let piece = 0; piece < pieces; piece += 1) yield 'x';
      yield '\n\n';
    })();
    const begun = performance.now();
    const [message] = await Array.fromAsync(messagesIn(given));
    expect(message?.data).toHaveLength(pieces);
    return performance.now() - begun;
  };
  const few = await timeOf(20_000);
  // In quadratic time they take 400 times as long.
  expect(await timeOf(400_000)).toBeLessThan(100 * few + 1_000);
});

test('Messages are the same however the text is divided', async () => {
  const line = fc.constantFrom(
    'id: 1',
    'id: 2:3',
    'data: {"a":1}',
    'data: : x',
    ':',
    '',
    '',
    'event: e',
  );
  const end = fc.constantFrom('\n', '\r\n', '\r');
  const texts = fc.array(
    fc.tuple(line, end).map((both) => both.join('')),
    { maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(texts, fc.array(fc.nat(60)), async (parts, cuts) => {
      const text = `${parts.join('')}\n`;
      const at = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length];
      const pieces = at.slice(1).map((end, index) => text.slice(at[index], end));
      expect(await read(...pieces)).toStrictEqual(await read(text));
    }),
    { numRuns: 500 },
  );
});
