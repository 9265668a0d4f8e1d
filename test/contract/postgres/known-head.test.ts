import { mkdirSync, renameSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Frontier, sizeOf } from '../../../src/app/log/merkle-tree.ts';
import { HeadFile, readHeadFile } from '../../../src/infra/head/head-file.ts';
import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { KnownHead, OtherLog } from '../../../src/infra/postgres/known-head.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { newDatabase } from '../../support/postgres/databases.ts';

/** The right edge of a log of some records. */
function edgeOf(...records: readonly string[]): Buffer {
  const tree = new Frontier();
  for (const record of records) tree.append(Buffer.alloc(32, record));
  return tree.pack();
}

const EMPTY = edgeOf();
const [TWO, THREE, OTHER_THREE] = [edgeOf('a', 'b'), edgeOf('a', 'b', 'c'), edgeOf('a', 'b', 'x')];

async function given() {
  const db = new Database(await newDatabase());
  const file = join(temporaryFolder(), 'head');
  const replaced: Error[] = [];
  const troubles: (string | undefined)[] = [];
  const known = new KnownHead(db, {
    headFile: new HeadFile(file, '0123456789abcdef'),
    noted: (trouble) => troubles.push((trouble as NodeJS.ErrnoException | undefined)?.code),
    replaced: (cause) => replaced.push(cause),
  });
  onTestFinished(async () => {
    known.close();
    await db.close();
  });
  const noted = () => readHeadFile(file)?.position;
  return { db, known, file, replaced, noted, troubles };
}

describe('the known head of a log', () => {
  it('is the newest that was read, whatever the order of the answers', async () => {
    const { known, noted } = await given();
    for (const edge of [TWO, EMPTY, THREE, TWO, EMPTY]) known.note(edge, EMPTY);
    expect(sizeOf(known.edge)).toBe(3);
    expect(noted()).toBe(3);
    known.note(THREE, THREE);
    expect(known.edge).toStrictEqual(THREE);
  });

  it('is not in a log of an older epoch, for which a restart is no remedy', async () => {
    const { db } = await given();
    const known = new KnownHead(db, { epoch: 2 });
    onTestFinished(() => known.close());
    await expect(known.compare(db)).rejects.toThrow(
      /it is in epoch 0, and this instance in epoch 2: it is an older or another one$/,
    );
  });

  it('is known although it cannot be noted, and is noted as soon as it can', async () => {
    const { known, file, noted, troubles } = await given();
    known.note(TWO, EMPTY, 7n);
    await setTimeout(1_000);
    renameSync(file, `${file}-moved`);
    mkdirSync(file);
    known.note(THREE, TWO, 4711n);
    known.note(THREE, THREE);
    expect(known.edge).toStrictEqual(THREE);
    expect(troubles).toStrictEqual(['EISDIR']);
    rmdirSync(file);
    known.note(THREE, THREE);
    expect(noted()).toBe(3);
    expect(readHeadFile(file)?.highestId).toBe(4711n);
    expect(troubles).toStrictEqual(['EISDIR', undefined]);
  });

  it.each([
    ['a shorter log', TWO, 'it ends at position 2'],
    ['another log of the same length', OTHER_THREE, 'it is another one there'],
    ['an empty log', EMPTY, 'it ends at position 0'],
  ])('refuses %s than the one known when it was read', async (_, edge, wrong) => {
    const { db, known, replaced, noted } = await given();
    known.note(THREE, EMPTY);
    expect(() => known.note(edge, known.edge)).toThrow(OtherLog);
    expect(() => known.note(edge, known.edge)).toThrow(
      `the log lacks acknowledged events up to position 3: ${wrong}`,
    );
    expect(replaced).toHaveLength(1);
    expect(db.isRefused).toBe(true);
    expect([sizeOf(known.edge), noted()]).toStrictEqual([3, 3]);
  });
});
