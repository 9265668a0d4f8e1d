import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Answers, answersOf, copyStore, filesOf, makeStore } from './store.ts';

/** A bit of a file. */
interface Flip {
  readonly file: string;
  readonly byte: number;
  readonly bit: number;
}

/** The results for many stores, in each of which one bit was flipped. */
export interface FlipResult {
  readonly flips: number;
  /** In how many a start was refused, or an answer. */
  readonly refused: number;
  /** In how many every answer was right. */
  readonly harmless: number;
  /** Those in which an answer was wrong, and which of the questions that was. */
  readonly wrong: readonly (Flip & { readonly question: number })[];
}

/**
 * Flips bits of a stopped store, one in each of its copies, and asks each copy everything.
 * @param random Numbers from 0 to below 1.
 * @param folder Where the copies are made.
 */
export async function flipBits(
  count: number,
  random: () => number,
  folder: string,
  ask: (file: string) => Promise<Answers> = answersOf,
): Promise<FlipResult> {
  const template = join(folder, 'template', 'o.db');
  const victim = join(folder, 'victim', 'o.db');
  mkdirSync(dirname(template), { recursive: true });
  await makeStore(template);
  const files = filesOf(template)
    .map((name) => ({ name, bytes: readFileSync(join(dirname(template), name)) }))
    .filter(({ bytes }) => bytes.length > 0);
  copyStore(template, victim);
  const truth = await ask(victim);
  let [refused, harmless] = [0, 0];
  const wrong: FlipResult['wrong'][number][] = [];
  for (let n = 0; n < count; n++) {
    // The database is much larger than the files beside it: every third flip is in any of them.
    const any = files[Math.floor(random() * files.length)];
    const { name, bytes } = (n % 3 === 0 ? any : files[0]) as (typeof files)[number];
    const flip = {
      file: name,
      byte: Math.floor(random() * bytes.length),
      bit: Math.floor(random() * 8),
    };
    copyStore(template, victim);
    const flipped = Buffer.from(bytes);
    flipped.writeUInt8(flipped.readUInt8(flip.byte) ^ (1 << flip.bit), flip.byte);
    writeFileSync(join(dirname(victim), name), flipped);
    const answers = await ask(victim);
    const question = answers.findIndex(
      (answer, at) => answer !== undefined && answer !== truth[at],
    );
    if (question >= 0) wrong.push({ ...flip, question });
    else if (answers.length === truth.length && !answers.includes(undefined)) harmless += 1;
    else refused += 1;
  }
  return { flips: count, refused, harmless, wrong };
}
