import { once } from 'node:events';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { guardSecret } from '../../../../src/app/secrets.ts';
import { OutputWatch, print, say } from '../../../../src/cli/shared/print.ts';

/** An output whose parts are taken one by one, when the test says so. */
class Taken extends Writable {
  readonly parts: string[] = [];
  #done: (error?: Error) => void = () => {};

  override _write(part: Buffer, _encoding: string, done: (error?: Error) => void): void {
    this.parts.push(String(part));
    this.#done = done;
    this.emit('part');
  }

  /** Has the next part taken, or its writer told why not. */
  async take(error?: Error): Promise<void> {
    const next = error === undefined ? once(this, 'part') : undefined;
    this.#done(error);
    await next;
  }
}

function given() {
  const [stdout, stderr] = [new Taken(), new Taken()];
  return { stdout, stderr, delivery: new OutputWatch({ stdin: process.stdin, stdout, stderr }) };
}

function failing(code: string): Error {
  return Object.assign(new Error(`${code}: that is why`), { code });
}

/** Texts without an end; tells how many were asked for, and whether any more will be. */
function endless() {
  const asked = { count: 0, isOver: false };
  async function* texts() {
    try {
      for (;;) yield `line ${++asked.count}\n`;
    } finally {
      asked.isOver = true;
    }
  }
  return { asked, texts: texts() };
}

test('texts are made no faster than they are read', async () => {
  const { stdout } = given();
  const { asked, texts } = endless();
  const controller = new AbortController();
  const printed = print(texts, stdout, controller.signal);
  await once(stdout, 'part');
  for (let n = 1; n < 5; n++) {
    expect(asked.count).toBe(n);
    await stdout.take();
  }
  expect(stdout.parts).toEqual([1, 2, 3, 4, 5].map((n) => `line ${n}\n`));
  // Nobody needs to take it any more.
  controller.abort(new Error('enough'));
  await expect(printed).rejects.toThrow('enough');
  expect(asked.isOver).toBe(true);
});

test.each(['EPIPE', 'ECONNRESET'])(
  'a reader that goes away (%s) is not a failure',
  async (code) => {
    const { stdout, delivery } = given();
    const { asked, texts } = endless();
    const printed = print(texts, stdout);
    await once(stdout, 'part');
    await stdout.take(failing(code));
    await printed;
    expect(asked).toEqual({ count: 1, isOver: true });
    // Nor is it one to print to what is closed by now.
    await print(['more'], stdout);
    expect(await delivery.failure()).toBeUndefined();
  },
);

test.each([
  ['stdout', 'standard output'],
  ['stderr', 'standard error'],
] as const)('a full disk under %s is a failure, and nothing more is made', async (name, words) => {
  const { delivery, ...outputs } = given();
  const { asked, texts } = endless();
  const printed = print(texts, outputs[name]);
  await once(outputs[name], 'part');
  await outputs[name].take(failing('ENOSPC'));
  await printed;
  expect(asked).toEqual({ count: 1, isOver: true });
  expect(await delivery.failure()).toBe(`${words} cannot be written: ENOSPC: that is why`);
});

test('a late failure is a failure, too', async () => {
  const { stdout, delivery } = given();
  stdout.write('at once');
  stdout.write('later');
  const failure = delivery.failure();
  await stdout.take();
  stdout.take(failing('EIO'));
  expect(await failure).toBe('standard output cannot be written: EIO: that is why');
});

test('words for people control no terminal, and show no secret', async () => {
  const { stderr } = given();
  guardSecret('a secret of somebody');
  say(stderr, 'away\u001b]0;x\u0007\u009b2J\u202e:\ta secret of somebody\n');
  expect(stderr.parts).toEqual([
    expect.stringMatching(/^away\?\]0;x\?\?2J\?:\t(?!a secret)\S+\n$/),
  ]);
});
