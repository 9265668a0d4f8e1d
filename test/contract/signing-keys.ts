import { describe, expect, it } from 'vitest';
import { NoteSigner } from '../../src/app/audit/proving/checkpoint.ts';
import type { SigningKeys } from '../../src/app/ports/signing-keys.ts';
import { LATER, NOON } from '../support/events.ts';
import { seed } from '../support/witnessed-log.ts';

/** Opens one more handle on the same record, as another process would. */
export type OpenSigningKeys = () => Promise<SigningKeys>;

const [FIRST, SECOND] = [
  { verifierKey: new NoteSigner('store-orders/a', seed(1)).verifierKey, since: NOON },
  { verifierKey: new NoteSigner('Ünï', seed(2)).verifierKey, since: LATER },
] as const;

/**
 * The contract of every engine's record of signing keys.
 * @param create Makes an empty record. It vanishes with the test that made it.
 */
export function signingKeysContract(name: string, create: () => Promise<OpenSigningKeys>): void {
  describe(`the record of signing keys in ${name}`, () => {
    it('is empty at first, and then has all additions in order, for every reader', async () => {
      const open = await create();
      const [one, other] = [await open(), await open()];
      expect(await one.list()).toStrictEqual([]);
      expect(await one.add(FIRST, 0)).toBe(true);
      expect(await other.list()).toStrictEqual([FIRST]);
      expect(await other.add(SECOND, 1)).toBe(true);
      expect(await one.add(FIRST, 2)).toBe(true);
      expect(await other.list()).toStrictEqual([FIRST, SECOND, FIRST]);
    });

    it('takes nothing from one who has not seen it as it is', async () => {
      const keys = await (await create())();
      expect(await keys.add(FIRST, 1)).toBe(false);
      expect(await keys.add(FIRST, 0)).toBe(true);
      for (const known of [0, 2]) expect(await keys.add(SECOND, known)).toBe(false);
      expect(await keys.list()).toStrictEqual([FIRST]);
    });

    it('takes one of many that come at once', async () => {
      const open = await create();
      const added = await Promise.all(
        Array.from({ length: 8 }, async () => (await open()).add(FIRST, 0)),
      );
      expect(added.filter((isAdded) => isAdded)).toHaveLength(1);
      expect(await (await open()).list()).toStrictEqual([FIRST]);
    });
  });
}
