import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { linksOf } from './markdown.ts';

const DECISIONS = globSync('docs/adr/*.md').sort();

/** The headings that each decision record has, in this order; longer ones have others between. */
const SECTIONS = ['Context', 'Decision', 'Consequences', 'Rejected alternatives'];

describe.each(DECISIONS)('%s', (file) => {
  const text = readFileSync(file, 'utf8');

  test('opens with its number, its date and its status', () => {
    const number = file.slice('docs/adr/'.length, 'docs/adr/'.length + 4);
    const status = '(?:accepted|superseded by \\[\\d{4}\\])';
    const opening = `^# ${number}: \\S.*\n\n- Date: \\d{4}-\\d\\d-\\d\\d\n- Status: ${status}`;
    expect(text).toMatch(new RegExp(opening));
  });

  test('has every section once, in order, and none is empty', () => {
    const [, ...sections] = text.split(/^## /m);
    const named = sections.map((section) => section.split('\n\n') as [string, ...string[]]);
    expect(named.map(([heading]) => heading)).toEqual(SECTIONS);
    for (const [heading, ...body] of named) expect(body.join().trim(), heading).not.toBe('');
  });
});

test('the index lists every decision record', () => {
  const listed = linksOf('docs/README.md').filter((link) => link.startsWith('adr/'));
  expect([...new Set(listed)].sort()).toEqual(DECISIONS.map((file) => file.slice('docs/'.length)));
});

test('the decision records are numbered without gaps', () => {
  const numbers = DECISIONS.map((file) => Number(file.match(/\d{4}/)?.[0]));
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
});
