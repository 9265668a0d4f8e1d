import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { IN_A_TERMINAL, INSTALLED_HERE, NOT_RUN, PAGES_TO_RUN, stepsOf } from './blocks.ts';
import { anchorsOf, blocksOf, PAGES, proseOf } from './markdown.ts';

/** The languages of blocks: commands, output, HTTP messages, diagrams, and excerpts of the code. */
const LANGUAGES = ['sh', 'sql', 'text', 'json', 'http', 'mermaid', 'ts', 'js', ''];

/** The pages that do not begin like the others, and the reason. */
const OTHER_OPENINGS: Readonly<Record<string, string>> = {
  'README.md': 'it begins with `npm start`, in the data folder',
  'docs/testing-any-aggregate.md': 'it begins with a project of the reader, without a service',
  'docs/postgresql.md': 'it begins with a database, and with several instances',
};

describe('Pages with commands', () => {
  test('begin with the same paragraph and block, which creates a temporary store', () => {
    const pages = PAGES_TO_RUN.filter((page) => !(page in OTHER_OPENINGS));
    const openings = new Set(
      pages.map((page) => {
        const [before, block] = readFileSync(page, 'utf8').split(/^```(?:sh)?$/m);
        return `${before?.trim().split('\n\n').at(-1)}\n${block}`;
      }),
    );
    expect([...openings]).toHaveLength(1);
    expect([...openings].join()).toContain('mktemp -d');
  });

  test.each(PAGES_TO_RUN.filter((page) => page !== 'README.md'))(
    '%s ends by cleaning up',
    (page) => {
      const [last] = stepsOf(page)
        .filter(({ language, commands }) => {
          return language === 'sh' && !(commands in NOT_RUN);
        })
        .slice(-1);
      expect(last?.commands).toMatch(/^cd "\$PROJECT" && rm -rf "\$SHOP"$/m);
      expect(anchorsOf(page)).toContain('clean-up');
    },
  );

  test.each(PAGES)('%s has no command in a block that the tests do not run', (page) => {
    for (const { language, text } of blocksOf(page)) {
      expect(LANGUAGES, text).toContain(language);
      if (language === '') expect(text).not.toMatch(/^(?:npx|npm|node|curl|docker|cd|export) /m);
    }
    expect(proseOf(page)).not.toMatch(/\n\n {4}(?! *[-*\d])\S/);
  });
});

describe('Blocks that are not run verbatim', () => {
  test('exist in a page, so that no exception outlives its reason', () => {
    const commands = PAGES.flatMap((page) => stepsOf(page).map((step) => step.commands));
    for (const exceptions of [IN_A_TERMINAL, INSTALLED_HERE, NOT_RUN]) {
      for (const exception of Object.keys(exceptions)) expect(commands).toContain(exception);
    }
    for (const page of Object.keys(OTHER_OPENINGS)) expect(PAGES_TO_RUN).toContain(page);
  });

  test('install the same versions as the tests', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, { version: string }>;
    };
    const named = Object.keys(INSTALLED_HERE)
      .join()
      .matchAll(/(?<= )(@?[\w/-]+)@([\d.]+)/g);
    const versions = [...named].map(([, name, version]) => {
      const at = packages[`test/client/node_modules/${name}`] ?? packages[`node_modules/${name}`];
      return { name, version, installed: at?.version };
    });
    expect(versions).toHaveLength(5);
    for (const { name, version, installed } of versions) expect(installed, name).toBe(version);
  });

  test('begin with the commands of the CI script', () => {
    const gate = readFileSync('.ci/run', 'utf8');
    expect(gate).toMatch(/^npm ci /m);
    expect(gate).toMatch(/^npm test$/m);
  });
});
