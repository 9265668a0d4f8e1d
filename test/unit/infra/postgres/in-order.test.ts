import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inOrder } from '../../../../src/infra/postgres/connection/connection.ts';

/** A statement whose result passes through so many functions before it is known. */
async function sent(place: number, isRefused: boolean, functions: number): Promise<number> {
  if (functions > 0) return sent(place, isRefused, functions - 1);
  await Promise.resolve();
  if (isRefused) throw new Error(`${place} is refused`);
  return place;
}

it('Statements sent one after the other have the error of the first that failed', async () => {
  const statements = fc.array(fc.tuple(fc.boolean(), fc.nat(4)), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(statements, async (all) => {
      const results = inOrder(...all.map(([isRefused, more], at) => sent(at, isRefused, more)));
      const first = all.findIndex(([isRefused]) => isRefused);
      if (first < 0) expect(await results).toStrictEqual(all.map((_, at) => at));
      else await expect(results).rejects.toThrow(`${first} is refused`);
    }),
  );
});
