import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tableOf } from '../markdown.ts';

/** Returns the first 64 bits of the SHA-256 of a description, in hexadecimal. */
function fingerprint(version: string): string {
  return hash('sha256', readFileSync(`docs/openapi-${version}.json`)).slice(0, 16);
}

test('The newest entry of the API changelog has the fingerprints of the current descriptions', () => {
  // The first of these tables belongs to the newest entry.
  const noted = tableOf('docs/api-changelog.md', 'description | fingerprint');
  const real = ['v1', 'v2'].map((version) => [version, fingerprint(version)]);
  expect(
    noted,
    'A description has changed. Say in docs/api-changelog.md what that means for clients, in a new ' +
      'entry above the others unless the newest one is not published yet, and end it with these ' +
      'fingerprints.',
  ).toEqual(real);
});

test('The entries of the API changelog have a date and a title, the newest first', () => {
  const headings = readFileSync('docs/api-changelog.md', 'utf8').match(/^## .*$/gm) ?? [];
  const dates = headings.map((heading) => /^## (\d{4}-\d\d-\d\d): \S/.exec(heading)?.[1]);
  expect(dates).not.toEqual([]);
  expect(dates).toEqual(dates.toSorted().reverse());
  for (const date of dates) expect(date).toBeDefined();
});
