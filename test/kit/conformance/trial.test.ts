import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forAll, must, type Trial } from './trial.ts';

/** Returns the reason why a rule does not hold for all numbers, which breaks for those from 5. */
async function reasonOf(shrinkMs: number): Promise<string> {
  const trial = { api: { client: { trace: { take: () => [] } } }, seed: 1, shrinkMs };
  const whole = { ...trial, leftMs: () => 60_000 } as unknown as Trial;
  const rule = async (number: number) => must(number < 5, 'a rule', `it is ${number}`);
  return forAll(whole, fc.nat(), 10, rule).then(
    () => 'it holds',
    ({ message }) => message,
  );
}

test('a rule for drawn values is broken by the plainest one, or says that it may not be', async () => {
  expect(await reasonOf(Infinity)).toMatch(/^it is 5 \(seed 1, path [\d:]+\)$/);
  expect(await reasonOf(0)).toMatch(
    /^it is \d{3,} \(seed 1, path \d+; shrinking ended after 0 s, so a plainer one may fail, too\)$/,
  );
});
