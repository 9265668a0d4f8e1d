import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { Trace } from './trace.ts';

test('a batch in a script is about the orders that the script has placed', () => {
  const trace = new Trace();
  for (const id of [7n, 8n]) trace.note("placed '{}'")(id);
  trace.note(`printf %s '{"orderIds":["8","7","-17"],"pets":["7"]}'`);
  const [first, second, batch = ''] = trace.take();
  expect([first, second]).toEqual(["A=$(placed '{}')", "B=$(placed '{}')"]);
  const sent = execFileSync('sh', ['-c', `A=41; B=42; ${batch}`], { encoding: 'utf8' });
  expect(sent).toBe('{"orderIds":["42","41","-17"],"pets":["7"]}');
});
