import { describe, expect, it, test } from 'vitest';
import { sentIn } from '../../../src/console/state/answers.ts';
import { readCheckpoint } from '../../../src/console/state/figures.ts';
import { breaksIn, consistencyIn } from '../../../src/console/state/material.ts';

const order = {
  id: '7',
  petId: '1',
  quantity: 2,
  complete: false,
  status: 'pending',
  placedAt: '2026-01-01T00:00:00.000Z',
};

function answerWith(text: string, headers: Record<string, string> = {}) {
  const rest = { status: 200, attempts: 1, idempotencyKey: undefined };
  return { ...rest, headers: new Headers(headers), text };
}

const UNEXPECTED = expect.objectContaining({ code: 'unexpected_response' });

describe('An order', () => {
  it('is shown with its tag, and as it was sent', () => {
    const text = JSON.stringify(order);
    const sent = sentIn(answerWith(text, { ETag: '"1"' }), '7');
    expect(sent).toEqual({ order, etag: '"1"', text });
    expect(sentIn(answerWith(text), '7').etag).toBe('');
  });

  it('is none if the answer is another order', () => {
    const answer = answerWith(JSON.stringify({ ...order, id: '9' }));
    expect(() => sentIn(answer, '7')).toThrow('The answer is order 9, not order 7.');
    expect(() => sentIn(answer, '7')).toThrow(UNEXPECTED);
  });

  it.each([
    '<html>',
    '{"id":"7","petId":"1","qua',
    'null',
    '[]',
    '{}',
    JSON.stringify({ ...order, status: undefined }),
    JSON.stringify({ ...order, placedAt: undefined }),
  ])('is none if the answer is %s', (text) => {
    expect(() => sentIn(answerWith(text), '7')).toThrow(UNEXPECTED);
  });
});

describe('An answer to what is missing to compare checkpoints', () => {
  it('is the proof between their sizes', () => {
    const proof = JSON.stringify({ from: 2, to: 5, proof: ['aa'] });
    expect(consistencyIn(proof, 2, 5)).toMatchObject({ kind: 'consistency', from: 2, to: 5 });
    for (const text of ['<html>', '{}', proof.replace('2', '3'), proof.replace('5', '6')])
      expect(() => consistencyIn(text, 2, 5), text).toThrow('The answer is not the proof');
  });

  it('is the statements of all breaks', () => {
    expect(breaksIn('{"epoch":"0","breaks":[]}')).toEqual({ kind: 'breaks', notes: [] });
    for (const text of ['<html>', '{}']) expect(() => breaksIn(text)).toThrow('The answer is not');
  });
});

test('A checkpoint is one of the log that the public key is of, in any epoch', () => {
  const key = `log.example+0123abcd+${'A'.repeat(44)}`;
  const note = (origin: string) => `${origin}\n7\nroot\n\n— log.example signature\n`;
  for (const origin of ['log.example', 'log.example+1.0123abcd'])
    expect(readCheckpoint(note(origin), key)).toEqual({ size: 7, root: 'root' });
  for (const origin of ['log.example2', 'other.example', 'other+log.example']) {
    const read = () => readCheckpoint(note(origin), key);
    expect(read).toThrow(`The answer is a checkpoint of ${origin}, not of log.example.`);
    expect(read).toThrow(UNEXPECTED);
  }
});
