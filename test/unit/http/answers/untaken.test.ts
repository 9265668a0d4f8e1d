import { connect } from 'node:net';
import express, { type Request, type Response } from 'express';
import { describe, expect, it, vi } from 'vitest';
import { sendJson, sendNegotiated } from '../../../../src/http/answers/negotiation.ts';
import { UNTAKEN, Untaken } from '../../../../src/http/answers/untaken.ts';
import { listening } from '../../../support/listening.ts';

/** An answer that waits for its client, and the ends of its connection. */
function answer() {
  const context: { cause?: string } = {};
  const socket = {
    resets: 0,
    resetAndDestroy() {
      this.resets += 1;
    },
  };
  return { res: { req: { context, socket } } as unknown as Response, context, socket };
}

describe('Answers that their clients do not take', () => {
  it('are kept up to the bound', () => {
    const untaken = new Untaken(300);
    const answers = [answer(), answer(), answer()];
    for (const { res } of answers) untaken.keep(res, 100);
    expect(answers.map(({ socket }) => socket.resets)).toStrictEqual([0, 0, 0]);
    expect([untaken.bytes, untaken.cutOff]).toStrictEqual([300, 0]);
  });

  it('are cut off beyond it, those that have waited for longest first', () => {
    const untaken = new Untaken(300);
    const answers = [answer(), answer(), answer(), answer()];
    for (const { res } of answers) untaken.keep(res, 100);
    const last = answer();
    untaken.keep(last.res, 150);
    expect(answers.map(({ socket }) => socket.resets)).toStrictEqual([1, 1, 1, 0]);
    expect(answers[0]?.context.cause).toMatch(/^the client was too slow/);
    expect(last.socket.resets).toBe(0);
    expect([untaken.bytes, untaken.cutOff]).toStrictEqual([250, 3]);
  });

  it('count no longer once they are taken, and once only', () => {
    const untaken = new Untaken(300);
    const [taken, waiting, next] = [answer(), answer(), answer()];
    const leave = untaken.keep(taken.res, 200);
    untaken.keep(waiting.res, 100);
    leave();
    leave();
    untaken.keep(next.res, 200);
    expect([taken, waiting, next].map(({ socket }) => socket.resets)).toStrictEqual([0, 0, 0]);
    expect(untaken.bytes).toBe(300);
  });

  // Longer than what the system takes for a client on the same machine.
  const LONG = Buffer.alloc(16_777_216, '1');

  it.each<[string, (req: Request, res: Response) => unknown]>([
    ['a document', (req, res) => sendNegotiated(req, res, LONG)],
    ['JSON', (_req, res) => sendJson(res, 200, LONG.toString('latin1'))],
  ])('are counted, until their connection ends: %s', async (_what, send) => {
    const { address } = await listening(express().get('/', send));
    const client = connect(Number(new URL(address).port), '127.0.0.1').pause();
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await vi.waitFor(() => expect(UNTAKEN.bytes).toBe(LONG.length), 5_000);
    client.destroy();
    await vi.waitFor(() => expect(UNTAKEN.bytes).toBe(0), 5_000);
  });
});
