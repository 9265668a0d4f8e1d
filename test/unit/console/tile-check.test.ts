import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NoteSigner } from '../../../src/app/audit/proving/checkpoint.ts';
import { TileBuilder } from '../../../src/app/audit/proving/tile-builder.ts';
import { Cosigner } from '../../../src/app/audit/witness/cosigner.ts';
import { leafHash } from '../../../src/app/log/merkle-tree.ts';
import { pathOf, placeAt } from '../../../src/app/log/tiles.ts';
import { isVerified } from '../../../src/console/state/proof-steps.ts';
import { checkTiles } from '../../../src/console/state/tile-check.ts';
import { folderIn } from '../../../src/console/state/tile-folder.ts';
import { readTileName, writeTileName } from '../../../src/console/state/tile-names.ts';
import { TileTree } from '../../../src/console/state/tile-tree.ts';
import { cancelled, placed } from '../../support/events.ts';
import { manyRecords } from '../../support/memory-tree.ts';
import { partByDay, runs } from '../../support/nightly.ts';
import { publishedFiles, recordsOf } from '../../support/published.ts';

const signer = new NoteSigner('log.example', Buffer.alloc(32, 7));
const key = signer.verifierKey;
const MOST = 1_100;
const SIZE = 700;

const ids = Array.from({ length: MOST }, (_, index) => BigInt(index + 1));
const records = recordsOf(ids.map((id) => placed(id)));

type Files = Map<string, Buffer>;

/** Returns the files of the log at a size. */
function filesAt(size: number, all = records, by = signer, epoch?: string): Files {
  return publishedFiles(all.slice(0, size), by, epoch);
}

interface More {
  readonly notes?: readonly string[];
  readonly policy?: string;
  readonly signal?: AbortSignal;
}

function check(files: Files, { notes = [], policy, signal }: More = {}) {
  const folder = new Map(
    [...files].map(([path, bytes]) => [path, new Blob([new Uint8Array(bytes)])]),
  );
  const input = { folder, key, notes, policies: policy === undefined ? [] : [policy] };
  return checkTiles(input, signal ?? new AbortController().signal, () => {});
}

async function reasonFor(files: Files, more: More = {}): Promise<string> {
  const { steps } = await check(files, more);
  const failed = steps.filter(({ outcome }) => outcome === 'failed');
  expect(failed).toHaveLength(1);
  return failed[0]?.reason ?? '';
}

/** Returns the outcomes as one text: `-` is not checked. */
async function outcomesOf(files: Files, more: More = {}): Promise<string> {
  const { steps } = await check(files, more);
  return steps.map(({ outcome }) => outcome.replace('not checked', '-')).join(' ');
}

function noteAt(size: number, all = records, epoch?: string): string {
  return `${filesAt(size, all, signer, epoch).get('checkpoint')}`;
}

describe('The names of tiles', () => {
  it('are those of the service, at every place', () => {
    const level = fc.oneof(fc.integer({ min: 0, max: 63 }), fc.constant('entries' as const));
    const index = fc.oneof(fc.nat(2_000), fc.nat(3_000_000), fc.maxSafeNat());
    const width = fc.integer({ min: 1, max: 256 });
    fc.assert(
      fc.property(level, index, width, (...[at, number, wide]) => {
        const name = { level: at, index: number, width: wide };
        const path = writeTileName(name);
        expect(path).toBe(`tile/${pathOf(name)}`);
        // The service has no paths for tiles that no log reaches.
        if (number < 1e15) expect(readTileName(path)).toEqual(placeAt(path.slice(5)));
      }),
    );
  });

  it('have one spelling, as for the service', () => {
    const piece = fc.constantFrom(
      ...[
        'tile',
        'entries',
        '0',
        '00',
        '1',
        '63',
        '64',
        '-1',
        '000',
        '001',
        'x001',
        'x000',
        '1000',
      ],
      ...['000.p', '001.p', '.p', '1', '255', '256', '0', '01', '1e2', '', ' 1', 'x', '0x1'],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), (pieces) => {
        const path = pieces.join('/');
        expect(readTileName(`tile/${path}`)).toEqual(placeAt(path));
      }),
      { numRuns: runs(3_000) },
    );
    expect(readTileName('other/0/000')).toBeUndefined();
  });
});

describe('The tree of tiles', () => {
  it('has the root and the tiles of the other implementation at any size', () => {
    const leaves = manyRecords(66_100).map(leafHash);
    const [mine, other] = [new TileTree(), new TileBuilder()];
    const sizes = [0, 1, 2, 255, 256, 257, 300, 511, 512, 513, 65_535, 65_536, 65_537, 66_100];
    const filled: string[] = [];
    for (const size of [...sizes, 1_000, 7_777, 40_001].sort((one, two) => one - two)) {
      for (let at = mine.size; at < size; at += 1) {
        const leaf = leaves[at] ?? expect.fail();
        other.add(leaf);
        for (const { level, index, hashes } of mine.add(leaf)) {
          filled.push(`${level} ${index} ${Buffer.concat(hashes).toString('base64')}`);
        }
      }
      expect(Buffer.from(mine.root())).toEqual(Buffer.from(other.root()));
      const edge = mine.partial().map(({ level, index, hashes }) => {
        return { place: { level, index, width: hashes.length }, bytes: Buffer.concat(hashes) };
      });
      expect(edge).toEqual(other.edge());
    }
    const full = other.take().map(({ place: { level, index }, bytes }) => {
      return `${level} ${index} ${bytes.toString('base64')}`;
    });
    expect(filled.sort()).toEqual(full.toSorted());
  });
});

describe('A folder of tiles', () => {
  it('holds at any size, and with the partial tiles of any earlier one', async () => {
    const size = fc.integer({ min: 0, max: MOST });
    await fc.assert(
      fc.asyncProperty(size, fc.array(size, { maxLength: 3 }), async (now, earlier) => {
        const files = new Map(
          earlier.filter((each) => each <= now).flatMap((at) => [...filesAt(at)]),
        );
        for (const [path, bytes] of filesAt(now)) files.set(path, bytes);
        const checked = await check(files);
        expect(checked.steps.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
        expect(isVerified(checked)).toBe(true);
        expect(checked.facts).toEqual([['Files verified', String(files.size)]]);
      }),
      { numRuns: runs(25) },
    );
  });

  it('holds for an empty log, which has a checkpoint alone', async () => {
    expect(isVerified(await check(filesAt(0)))).toBe(true);
    const foreign = filesAt(0).set('tile/0/000.p/1', Buffer.alloc(32));
    expect(await outcomesOf(foreign)).toBe('ok ok ok ok -');
  });

  it('is refused with the name of the file where any bit of any file is another', async () => {
    const whole = new Map([...filesAt(300), ...filesAt(SIZE)]);
    const paths = [...whole.keys()];
    const anyPath = fc.constantFrom(...paths);
    await fc.assert(
      fc.asyncProperty(anyPath, fc.nat(), fc.nat(7), async (path, place, bit) => {
        const bytes = Buffer.from(whole.get(path) ?? expect.fail());
        const at = place % bytes.length;
        bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at);
        expect(await reasonFor(new Map(whole).set(path, bytes))).toContain(path);
      }),
      { numRuns: runs(150) },
    );
  });

  it('is refused with the name of the file where any is missing, longer or cut off', async () => {
    const whole = filesAt(SIZE);
    for (const [path, bytes] of whole) {
      const without = new Map(whole);
      without.delete(path);
      expect(await reasonFor(without)).toContain(path);
      expect(await reasonFor(new Map(whole).set(path, bytes.subarray(0, -1)))).toContain(path);
      const longer = Buffer.concat([bytes, Buffer.alloc(1)]);
      expect(await reasonFor(new Map(whole).set(path, longer))).toContain(path);
    }
  });

  it('is refused where a file is that of another tree or of another place', async () => {
    const whole = filesAt(SIZE);
    const foreign = filesAt(SIZE, recordsOf(ids.map((id) => placed(id, { quantity: 2 }))));
    for (const [path, bytes] of whole) {
      for (const [from, other] of partByDay([...whole, ...foreign], 5)) {
        if (bytes.equals(other) || from === 'checkpoint') continue;
        expect(await reasonFor(new Map(whole).set(path, other)), from).toContain(path);
      }
    }
  });

  it('is refused where both the hashes and the records of a tile are those of another tree', async () => {
    const whole = filesAt(SIZE);
    const foreign = filesAt(SIZE, recordsOf(ids.map((id) => placed(id, { quantity: 2 }))));
    for (const tile of ['000', '001', '002.p/188']) {
      const files = new Map(whole);
      for (const path of [`tile/0/${tile}`, `tile/entries/${tile}`]) {
        files.set(path, foreign.get(path) ?? expect.fail());
      }
      expect(await reasonFor(files)).toContain(`tile/0/${tile}`);
    }
    const all = new Map(foreign).set('checkpoint', whole.get('checkpoint') ?? expect.fail());
    expect(await reasonFor(all)).toMatch(/^checkpoint has another root than the tiles/);
  });

  it('is refused where two records are swapped, also with their hashes', async () => {
    const swapped = records.with(2, records[3] ?? '').with(3, records[2] ?? '');
    const forged = filesAt(SIZE, swapped);
    const files = filesAt(SIZE).set('tile/entries/000', forged.get('tile/entries/000') as Buffer);
    expect(await reasonFor(files)).toBe(
      'tile/0/000 and tile/entries/000 differ: hash 2 is not that of record 2',
    );
    expect(await reasonFor(forged)).toBe(
      'tile/entries/000: position 3: the record of position 4 is in its place',
    );
  });

  it('is refused where its tiles are of another width than its checkpoint', async () => {
    const narrower = filesAt(SIZE - 1).set('checkpoint', Buffer.from(noteAt(SIZE)));
    expect(await reasonFor(narrower)).toBe('tile/entries/002.p/188 is missing');
    const renamed = filesAt(SIZE);
    for (const level of ['0', 'entries']) {
      renamed.set(`tile/${level}/002.p/188`, renamed.get(`tile/${level}/001`) as Buffer);
    }
    expect(await reasonFor(renamed)).toContain('tile/entries/002.p/188');
  });

  it('is refused where its checkpoint is of another log or is no text', async () => {
    const other = filesAt(SIZE, records, new NoteSigner('log.example', Buffer.alloc(32, 8)));
    expect(await reasonFor(other)).toMatch(/^checkpoint: the note is not signed/);
    const noText = filesAt(SIZE).set('checkpoint', Buffer.from([255]));
    expect(await reasonFor(noText)).toBe('checkpoint is not UTF-8');
    const long = filesAt(SIZE).set('checkpoint', Buffer.alloc((1 << 20) + 1));
    expect(await outcomesOf(long)).toBe('failed - - - -');
  });

  it('is refused where no command leads to an event, although the tree is signed', async () => {
    const wrong = recordsOf([placed(1n), cancelled(1n), cancelled(1n)]);
    expect(await reasonFor(filesAt(3, wrong))).toMatch(
      /^tile\/entries\/000.p\/3: position 3: no command leads to OrderCancelled of order 1 here/,
    );
    for (const record of ['{}', 'no record', `${records[0]} `]) {
      expect(await reasonFor(filesAt(1, [record]))).toMatch(/position 1: its record is not in the/);
    }
  });

  it('may lack its records: then it is not complete, and the hashes are checked', async () => {
    const hashes = new Map([...filesAt(SIZE)].filter(([path]) => !path.includes('entries')));
    expect(await outcomesOf(hashes)).toBe('ok - ok - ok');
    expect(isVerified(await check(hashes))).toBe(false);
    for (const [path, bytes] of hashes) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(40) ^ 1, 40);
      expect(await reasonFor(new Map(hashes).set(path, changed))).toContain(path);
      const without = new Map(hashes);
      without.delete(path);
      expect(await reasonFor(without)).toContain(path);
    }
  });

  it('may have more than its checkpoint covers, and says so', async () => {
    const interrupted = filesAt(900).set('checkpoint', Buffer.from(noteAt(SIZE)));
    for (const path of ['tile/0/002.p/188', 'tile/1/000.p/2', 'tile/entries/002.p/188']) {
      interrupted.set(path, filesAt(SIZE).get(path) as Buffer);
    }
    expect(await outcomesOf(interrupted)).toBe('ok ok ok ok -');
    const { steps } = await check(interrupted);
    expect(steps.at(-1)?.what).toMatch(/does not cover all of tile\/\S+ and \d+ others/);
    const foreign = filesAt(SIZE).set('notes.txt', Buffer.from('x'));
    expect((await check(foreign)).steps.at(-1)?.what).toMatch(/all of notes.txt\.$/);
    const hidden = filesAt(SIZE).set('tile/.DS_Store', Buffer.from('x'));
    expect(isVerified(await check(hidden))).toBe(true);
    // The full tile is later than the checkpoint, and its beginning must agree.
    const later = new Map([...interrupted].filter(([path]) => !path.endsWith('.p/188')));
    expect(await outcomesOf(later)).toBe('ok ok ok ok -');
    const bundle = Buffer.from(later.get('tile/entries/002') as Buffer);
    bundle.writeUInt8(bundle.readUInt8(10) ^ 1, 10);
    expect(await reasonFor(new Map(later).set('tile/entries/002', bundle))).toContain(
      'entries/002',
    );
  });

  it('may have full tiles in the place of partial ones, of which the checkpoint covers a part', async () => {
    const full = filesAt(768);
    full.delete('tile/1/000.p/3');
    full.set('tile/1/000.p/2', filesAt(SIZE).get('tile/1/000.p/2') as Buffer);
    full.set('checkpoint', Buffer.from(noteAt(SIZE)));
    expect(await outcomesOf(full)).toBe('ok ok ok ok -');
    const { steps } = await check(full);
    expect(steps.at(-1)?.what).toMatch(/all of tile\/0\/002 and 1 other\.$/);
  });

  it('is refused where a full tile of a higher level has another hash', async () => {
    const large = publishedFiles(manyRecords(65_800), signer);
    const hashes = new Map([...large].filter(([path]) => !path.includes('entries')));
    expect(await outcomesOf(hashes)).toBe('ok - ok - ok');
    for (const path of partByDay(['tile/1/000', 'tile/1/001.p/1', 'tile/2/000.p/1'], 3)) {
      const bytes = Buffer.from(hashes.get(path) ?? expect.fail(path));
      bytes.writeUInt8(bytes.readUInt8(31) ^ 1, 31);
      expect(await reasonFor(new Map(hashes).set(path, bytes))).toContain(`${path} and tile/`);
    }
  });

  it('must agree with the checkpoints of the reader', async () => {
    const files = filesAt(SIZE);
    const own = [noteAt(0), noteAt(1), noteAt(257), noteAt(SIZE)];
    expect(await outcomesOf(files, { notes: own })).toBe('ok ok ok ok ok ok');
    const foreign = recordsOf(ids.map((id) => placed(id, { quantity: 2 })));
    const other = await reasonFor(files, { notes: [noteAt(300, foreign)] });
    expect(other).toBe(
      'your checkpoint of 300 events has another root than the folder for these 300 events',
    );
    expect(await reasonFor(files, { notes: [noteAt(SIZE + 1)] })).toMatch(/ends at position 700/);
    expect(await reasonFor(files, { notes: [noteAt(SIZE + 1)] })).toBe(
      'the log in the folder ends at position 700, and your checkpoint of 701 events is of a longer one',
    );
    const epoch = `1.${'a'.repeat(32)}`;
    for (const cut of [noteAt(300, foreign, epoch), noteAt(SIZE + 1, records, epoch)]) {
      expect(await reasonFor(files, { notes: [cut] })).toMatch(/it was cut in between/);
    }
    expect(await outcomesOf(files, { notes: [noteAt(300, records, epoch)] })).toBe(
      'ok ok ok ok ok ok',
    );
    expect(await reasonFor(files, { notes: ['no note'] })).toMatch(/^your checkpoint: the note/);
  });

  it('may have to be witnessed by a policy', async () => {
    const witness = Cosigner.generate('w1.example');
    const policy = `witness W ${witness.verifierKey}\nquorum W\n`;
    expect(await reasonFor(filesAt(3), { policy })).toMatch(/^no quorum of witnesses/);
    for (const checkpoint of ['no note', Buffer.from([255])]) {
      const refused = filesAt(3).set('checkpoint', Buffer.from(checkpoint));
      expect((await check(refused, { policy })).steps.at(-1)).toStrictEqual({
        outcome: 'not checked',
        what: 'A quorum of the witnesses of the policy has cosigned the checkpoint.',
      });
    }
    const note = noteAt(3);
    const [text = ''] = note.split('\n\n');
    const cosigned = note + witness.cosign(`${text}\n`, 1_800_000_000);
    const files = filesAt(3).set('checkpoint', Buffer.from(cosigned));
    expect(isVerified(await check(files, { policy }))).toBe(true);
  });

  it('can be cancelled', async () => {
    const ending = new AbortController();
    ending.abort('cancelled');
    await expect(check(filesAt(MOST), { signal: ending.signal })).rejects.toBe('cancelled');
    const refused = filesAt(3).set('checkpoint', Buffer.from('no note'));
    await expect(check(refused, { signal: ending.signal })).rejects.toBe('cancelled');
    const other = filesAt(3).set('tile/entries/000.p/3', Buffer.from('x'));
    await expect(check(other, { signal: ending.signal })).rejects.toBe('cancelled');
  });
});

describe('Chosen files', () => {
  const file = new Blob(['x']);
  const folderOf = (...paths: string[]) => folderIn(new Map(paths.map((path) => [path, file])));

  it('have the folder of tiles in them where the checkpoint is', () => {
    const paths = ['logs/a/checkpoint', 'logs/a/tile/0/000', 'logs/b/c/checkpoint', 'other'];
    expect([...(folderOf(...paths)?.keys() ?? [])]).toEqual(['checkpoint', 'tile/0/000']);
    expect(folderOf('checkpoint')?.size).toBe(1);
  });

  it('have none without a checkpoint, or with two side by side', () => {
    expect(folderOf('tile/0/000')).toBeUndefined();
    expect(folderOf('a/checkpoint', 'b/checkpoint')).toBeUndefined();
  });
});
