import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Answers, answersOf, copyStore, filesOf, makeStore } from './store.ts';

export const DAMAGES = ['flipped bit', 'misdirected page', 'lost page'] as const;

/** A fault of a disk: what it has done to a file. */
export type Damage =
  | {
      readonly what: 'flipped bit';
      readonly file: string;
      readonly byte: number;
      readonly bit: number;
    }
  /** A page was written in place of another, which is gone. */
  | {
      readonly what: 'misdirected page';
      readonly file: string;
      readonly from: number;
      readonly to: number;
    }
  /** A page is as it was before a quarter of all changes. */
  | { readonly what: 'lost page'; readonly file: string; readonly page: number };

/** The results for many stores, each of which was damaged once. */
export interface DamageResult {
  readonly damaged: number;
  /** In how many a start was refused, or an answer. */
  readonly refused: number;
  /** In how many every answer was right. */
  readonly harmless: number;
  /** Those in which an answer was wrong, and which of the questions that was. */
  readonly wrong: readonly (Damage & { readonly question: number })[];
}

interface File {
  readonly name: string;
  readonly bytes: Buffer;
}

const PAGE_BYTES = 4_096;

/**
 * Damages a stopped store, once in each of its copies, and asks each copy everything.
 * @param random Numbers from 0 to below 1.
 * @param folder Where the copies are made.
 */
export async function damageStores(
  what: Damage['what'],
  count: number,
  random: () => number,
  folder: string,
  ask: (file: string) => Promise<Answers> = answersOf,
): Promise<DamageResult> {
  const template = join(folder, 'template', 'o.db');
  const victim = join(folder, 'victim', 'o.db');
  mkdirSync(dirname(template), { recursive: true });
  const older = join(folder, 'older.db');
  await makeStore(template, older);
  const files = filesOf(template)
    .map((name) => ({ name, bytes: readFileSync(join(dirname(template), name)) }))
    .filter(({ bytes }) => bytes.length > 0);
  copyStore(template, victim);
  const truth = await ask(victim);
  const before = readFileSync(older);
  let [refused, harmless] = [0, 0];
  const wrong: DamageResult['wrong'][number][] = [];
  for (let n = 0; n < count; n++) {
    // The database is much larger than the files beside it: every third damage is in any of them.
    const any = files[Math.floor(random() * files.length)];
    const isInAny = n % 3 === 0 && what !== 'lost page';
    const file = (isInAny ? any : files[0]) as File;
    const damage = damageIn(what, file, before, random);
    copyStore(template, victim);
    writeFileSync(join(dirname(victim), file.name), damaged(file.bytes, damage, before));
    const answers = await ask(victim);
    const question = answers.findIndex(
      (answer, at) => answer !== undefined && answer !== truth[at],
    );
    if (question >= 0) wrong.push({ ...damage, question });
    else if (answers.length === truth.length && !answers.includes(undefined)) harmless += 1;
    else refused += 1;
  }
  return { damaged: count, refused, harmless, wrong };
}

function damageIn(what: Damage['what'], file: File, before: Buffer, random: () => number): Damage {
  switch (what) {
    case 'flipped bit':
      return flipIn(file, random);
    case 'misdirected page':
      return misdirectionIn(file, random);
    case 'lost page':
      return {
        what,
        file: file.name,
        page: Math.floor((random() * before.length) / PAGE_BYTES),
      };
  }
}

function flipIn({ name, bytes }: File, random: () => number): Damage {
  const byte = Math.floor(random() * bytes.length);
  return { what: 'flipped bit', file: name, byte, bit: Math.floor(random() * 8) };
}

function misdirectionIn({ name, bytes }: File, random: () => number): Damage {
  const pages = Math.ceil(bytes.length / PAGE_BYTES);
  const [from, to] = [Math.floor(random() * pages), Math.floor(random() * pages)];
  return { what: 'misdirected page', file: name, from, to };
}

function damaged(bytes: Buffer, damage: Damage, before: Buffer): Buffer {
  const after = Buffer.from(bytes);
  if (damage.what === 'flipped bit') {
    after.writeUInt8(after.readUInt8(damage.byte) ^ (1 << damage.bit), damage.byte);
  } else if (damage.what === 'lost page') {
    const from = damage.page * PAGE_BYTES;
    before.copy(after, from, from, from + PAGE_BYTES);
  } else {
    const from = damage.from * PAGE_BYTES;
    bytes.copy(after, damage.to * PAGE_BYTES, from, from + PAGE_BYTES);
  }
  return after;
}
