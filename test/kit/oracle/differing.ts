/**
 * Returns two values as texts for a message about their difference: with their types, where the texts
 * alone would be equal, as those of a number and a bigint are.
 */
export function asTexts(one: unknown, other: unknown): readonly [one: string, other: string] {
  const [first, second] = [plain(one), plain(other)];
  if (first !== second || one === other) return [first, second];
  return [`${first} (${typeOf(one)})`, `${second} (${typeOf(other)})`];
}

function plain(value: unknown): string {
  if (value === undefined) return 'none';
  if (typeof value !== 'object' || value === null) return String(value);
  return JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}n` : each));
}

function typeOf(value: unknown): string {
  const type = typeof value;
  return value === undefined ? type : `${type === 'object' ? 'an' : 'a'} ${type}`;
}
