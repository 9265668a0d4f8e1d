import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { breaksIn } from '../../support/breaks.ts';
import { startProgram } from '../../support/child.ts';
import { Place } from '../../support/command-line.ts';

/** Creates a store whose process was killed after these batches; the last but one is damaged. */
async function damagedPlace(...batches: readonly string[]): Promise<Place> {
  const place = new Place();
  const child = startProgram('append-batches', place.file('store.db'), 'kill', '1000', ...batches);
  while ((await child.line()) !== undefined);
  const wal = readFileSync(place.file('store.db-wal'));
  const commits = framesOf(wal).filter((at) => wal.readUInt32BE(at + 4) !== 0);
  const damaged = (commits.at(-2) as number) + 2_000;
  wal[damaged] = (wal[damaged] as number) ^ 1;
  writeFileSync(place.file('store.db-wal'), wal);
  return place;
}

/** Returns the offsets of the frames of a file. */
function framesOf(wal: Buffer): readonly number[] {
  return Array.from({ length: Math.floor(wal.length / 4_120) }, (_, index) => 32 + index * 4_120);
}

describe('accept-loss', () => {
  it('drops the commits after the damage, and keeps the damaged file', async () => {
    const place = await damagedPlace('5', '7', '9');
    const damaged = readFileSync(place.file('store.db-wal'));
    const refused = await place.run('backup', place.file('copy.db'));
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(/-wal is damaged at frame \d+, .*accept-loss\n$/);
    expect(readFileSync(place.file('store.db-wal')).equals(damaged)).toBe(true);

    expect(await place.run('accept-loss')).toStrictEqual({
      code: 0,
      out: expect.stringMatching(
        /^The log now ends at position 5, and continues in epoch 1\.[0-9a-f]{32}\.\n$/,
      ),
      err: `The damaged file was kept as ${place.file('store.db-wal-damaged-1')}.\n`,
    });
    expect(readFileSync(place.file('store.db-wal-damaged-1')).equals(damaged)).toBe(true);
    expect(await place.head()).toBe(5);
    // A power cut may have cut the head file as well: neither ids nor positions are certain.
    expect(breaksIn(place.file('store.db'))).toMatchObject([
      { position: 5, positionsUpTo: null, idsUpTo: '1000000021' },
    ]);
    const again = await place.run('accept-loss');
    expect(again.err).toMatch(/is missing in \S+: there is no loss to accept/);
    expect(again.code).toBe(1);
  });

  it('changes nothing without damage or without a store', async () => {
    const place = new Place();
    expect(await place.run('accept-loss')).toMatchObject({ code: 1, out: '' });
    expect(existsSync(place.file('store.db'))).toBe(false);
  });

  it('drops nothing if the rest would not be an intact database', async () => {
    // The first batch is in the store's file, which is damaged as well; the others are in the -wal
    // file.
    const place = await damagedPlace('300', '0', '300', '300');
    const main = readFileSync(place.file('store.db'));
    writeFileSync(place.file('store.db'), main.fill(0, main.length - 8_192));
    const damaged = readFileSync(place.file('store.db-wal'));
    const { code, out, err } = await place.run('accept-loss');
    expect({ code, out }).toStrictEqual({ code: 1, out: '' });
    expect(err).toMatch(/What is left of .* is not a whole database\. Restore a backup\./);
    expect(readFileSync(place.file('store.db-wal')).equals(damaged)).toBe(true);
    expect((await place.run('keys', 'list')).err).toMatch(/-wal is damaged at frame/);
  });
});
