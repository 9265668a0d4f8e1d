import { describe, expect, it } from 'vitest';
import { find, type Row } from '../../../../src/http/site/browser/found.ts';

const ROWS: readonly Row[] = [
  ['Quickstart', 'Quickstart', 'guides/quickstart', 'From a key to a client.'],
  [
    'Quickstart',
    'Retry safely',
    'guides/quickstart#retry',
    `${'x'.repeat(50)} send the request again`,
  ],
  [
    'Keys',
    'Limits',
    'guides/keys#limits',
    'A key may retry when its rate allows; a Key is shown once.',
  ],
];

/** Returns the addresses of what is found. */
function found(query: string): string[] {
  return find(ROWS, query).map(({ row: [, , address] }) => address);
}

describe('The search of the guides', () => {
  it('finds what has every word, in any case and anywhere in a word', () => {
    expect(found('KEY')).toEqual(['guides/keys#limits', 'guides/quickstart']);
    expect(found('retr saf')).toEqual(['guides/quickstart#retry']);
    expect(found('key zebra')).toEqual([]);
  });

  it('puts a heading before a text, and keeps the order of the pages otherwise', () => {
    expect(found('retry')).toEqual(['guides/quickstart#retry', 'guides/keys#limits']);
    expect(found('quickstart')).toEqual(['guides/quickstart', 'guides/quickstart#retry']);
  });

  it('shows an excerpt around the first word that the text has', () => {
    const [first] = find(ROWS, 'retry REQUEST');
    expect(first).toMatchObject({
      before: `…${'x'.repeat(20)} send the `,
      hit: 'request',
      after: ' again',
    });
  });

  it('begins with the text where only the heading has the words', () => {
    const [first] = find(ROWS, 'quickstart');
    expect(first).toMatchObject({ before: '', hit: '', after: 'From a key to a client.' });
  });

  it('shows no more than twenty', () => {
    const many = Array.from({ length: 30 }, (_, index): Row => ['p', 'h', `a#${index}`, 'word']);
    expect(find(many, 'word')).toHaveLength(20);
  });
});
