/** Finds sections of the guides by words. */

/** A section: the title of its page, its heading, its address below the service's, its text. */
export type Row = readonly [page: string, heading: string, address: string, text: string];

/** A section that was found, and an excerpt of its text around the first word. */
export interface Found {
  readonly row: Row;
  readonly before: string;
  readonly hit: string;
  readonly after: string;
}

const MAX_FOUND = 20;

/** Characters of an excerpt before and behind the word. */
const BEFORE = 30;
const AFTER = 90;

/** Weighs a word in the title of a page, in a heading and in the text. */
const WEIGHTS = [4, 8, 0, 1] as const;

/**
 * Returns the sections that have every word of a query, those with the words in their headings first. A
 * word may be the beginning of a longer one or stand within it; case does not matter.
 */
export function find(rows: readonly Row[], query: string): readonly Found[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const scored = rows.flatMap((row, index) => {
    const score = scoreOf(row, words);
    return score === undefined ? [] : [{ row, index, score }];
  });
  scored.sort((a, b) => b.score - a.score || a.index - b.index);
  return scored.slice(0, MAX_FOUND).map(({ row }) => excerptOf(row, words));
}

/** Returns `undefined` where a word is missing. */
function scoreOf(row: Row, words: readonly string[]): number | undefined {
  const lower = row.map((text) => text.toLowerCase());
  let score = 0;
  for (const word of words) {
    const ofWord = lower.reduce(
      (sum, text, column) => sum + (text.includes(word) ? (WEIGHTS[column] ?? 0) : 0),
      0,
    );
    if (ofWord === 0) return undefined;
    score += ofWord;
  }
  return score;
}

function excerptOf(row: Row, words: readonly string[]): Found {
  const [, , , text] = row;
  const lower = text.toLowerCase();
  const first = words.find((word) => lower.includes(word)) ?? '';
  const at = Math.max(0, lower.indexOf(first));
  const start = Math.max(0, at - BEFORE);
  return {
    row,
    before: `${start > 0 ? '…' : ''}${text.slice(start, at)}`,
    hit: text.slice(at, at + first.length),
    after: `${text.slice(at + first.length, at + AFTER)}${text.length > at + AFTER ? '…' : ''}`,
  };
}
