import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { anchorsOf, blocksOf, linksOf, PAGES, proseOf } from './markdown.ts';

/** Matches the names of the project's files in backquotes, such as `src/domain/order.ts`. */
const NAMED_FILE = /`((?:src|test|docs|\.ci)\/[\w./-]*\w)`/g;

describe.each(PAGES)('%s', (page) => {
  test('links only to existing files and headings', () => {
    for (const link of linksOf(page)) {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      expect(existsSync(target), link).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(target), link).toContain(anchor);
    }
  });

  test('names only existing files', () => {
    for (const [, file = ''] of proseOf(page).matchAll(NAMED_FILE)) {
      expect(existsSync(file), file).toBe(true);
    }
  });

  test('has excerpts that are identical to the named files', () => {
    for (const { info: file, text } of blocksOf(page).filter(({ language }) => language === 'ts')) {
      // Not toContain, which would print the whole file.
      expect(readFileSync(file, 'utf8').includes(text), `${file} has:\n${text}`).toBe(true);
    }
  });
});

test('Every page can be reached from the README', () => {
  const reached = new Set(['README.md']);
  for (const page of reached) {
    for (const link of linksOf(page)) {
      const target = join(dirname(page), link.split('#')[0] as string);
      if (target.endsWith('.md')) reached.add(target);
    }
  }
  expect([...reached].sort()).toEqual([...PAGES].sort());
});

test('The folders and files in the layout of the README exist', () => {
  const layout = blocksOf('README.md').find(({ text }) => text.startsWith('src/domain')) ?? fail();
  for (const [path = ''] of layout.text.matchAll(/^[\w./]+/gm)) {
    expect(existsSync(path), path).toBe(true);
  }
});

function fail(): never {
  throw new Error('the README shows no layout');
}
