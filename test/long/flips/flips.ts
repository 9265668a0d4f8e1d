import type { Answers } from './content.ts';

/** Damage to the files of a stopped store, as by a disk. */

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

/** A stopped store, of which damaged copies can be asked. */
export interface StoppedStore extends AsyncDisposable {
  readonly pageBytes: number;
  /** The names of the database's files, which also have an older state. */
  readonly database: readonly string[];
  /** The names of all files that are not empty. */
  readonly files: readonly string[];
  read(file: string): Buffer;
  /** Returns a file of the database as it was before the last quarter of all changes. */
  readOlder(file: string): Buffer;
  /** Asks a copy in which one file has other content; none of the answers if it cannot be opened. */
  ask(file?: string, content?: Buffer): Promise<Answers>;
}

/** The results for many copies of a store, each of which was damaged once. */
export interface DamageResult {
  readonly damaged: number;
  /** In how many a start was refused, or an answer. */
  readonly refused: number;
  /** In how many every answer was right. */
  readonly harmless: number;
  /** Those in which an answer was wrong, and which of the questions that was. */
  readonly wrong: readonly (Damage & { readonly question: number })[];
}

/**
 * Damages copies of a stopped store, once each, and asks them everything.
 * @param random Numbers from 0 to below 1.
 */
export async function damageStore(
  store: StoppedStore,
  what: Damage['what'],
  count: number,
  random: () => number,
): Promise<DamageResult> {
  const truth = await store.ask();
  if (truth.length === 0 || truth.includes(undefined)) throw new Error('the intact store fails');
  let [refused, harmless] = [0, 0];
  const wrong: DamageResult['wrong'][number][] = [];
  for (let n = 0; n < count; n++) {
    // The database is much larger than the files beside it: every third damage is in any of them.
    const isInAny = n % 3 === 0 && what !== 'lost page';
    const files = isInAny ? store.files : store.database;
    const file = files[Math.floor(random() * files.length)] as string;
    const damage = damageIn(store, what, file, random);
    const answers = await store.ask(file, damaged(store, damage));
    const question = answers.findIndex(
      (answer, at) => answer !== undefined && answer !== truth[at],
    );
    if (question >= 0) wrong.push({ ...damage, question });
    else if (answers.length === truth.length && !answers.includes(undefined)) harmless += 1;
    else refused += 1;
  }
  return { damaged: count, refused, harmless, wrong };
}

function damageIn(
  store: StoppedStore,
  what: Damage['what'],
  file: string,
  random: () => number,
): Damage {
  const any = (below: number) => Math.floor(random() * below);
  const { length } = store.read(file);
  switch (what) {
    case 'flipped bit':
      return { what, file, byte: any(length), bit: any(8) };
    case 'misdirected page': {
      const pages = Math.ceil(length / store.pageBytes);
      return { what, file, from: any(pages), to: any(pages) };
    }
    case 'lost page':
      return { what, file, page: any(store.readOlder(file).length / store.pageBytes) };
  }
}

/** Returns the content of the damaged file. */
export function damaged(store: StoppedStore, damage: Damage): Buffer {
  const { pageBytes } = store;
  const before = store.read(damage.file);
  const after = Buffer.from(before);
  if (damage.what === 'flipped bit') {
    after.writeUInt8(after.readUInt8(damage.byte) ^ (1 << damage.bit), damage.byte);
  } else if (damage.what === 'lost page') {
    const from = damage.page * pageBytes;
    store.readOlder(damage.file).copy(after, from, from, from + pageBytes);
  } else {
    const from = damage.from * pageBytes;
    before.copy(after, damage.to * pageBytes, from, from + pageBytes);
  }
  return after;
}
