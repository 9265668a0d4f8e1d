import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { guidePage, searchIndex } from '../../../../src/http/site/guide-page.ts';
import { addressOf, Guides } from '../../../../src/http/site/guides.ts';
import { temporaryFolder } from '../../../support/folder.ts';

const INDEX = `# Documentation

## Call

| I want to … | page |
|---|---|
| begin | [Start \`here\`](start.md) |
| read the description | [version 1](openapi-v1.json) |
| know more | decisions [0001](adr/0001-a.md) |

## Decisions

| number | decision |
|---|---|
| [0001](adr/0001-a.md) | Why & how |
`;

const START = `# Start

The [first](#one) step, [why](adr/0001-a.md#context), [the file](deployment/a.cfg), [code](../src/main.ts), and
[a site](https://example.com/?a&b).

## One

<script>alert(1)</script>

\`\`\`sh
echo "$KEY" | tee <file
\`\`\`

## One

![A page](a.png)

| a | b |
|---|---|
| \`x\` | y |

\`\`\`mermaid
flowchart LR
  a --> b
\`\`\`
`;

/** A small documentation in a folder of its own. */
async function documentation(): Promise<Guides> {
  const root = `${temporaryFolder()}/`;
  for (const folder of ['docs/adr', 'docs/deployment', 'docs/diagrams']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  const files = {
    'README.md': '# Project\n\n[Docs](docs/README.md), [changes](docs/api-changelog.md#x).\n',
    'CHANGELOG.md': '# Changelog\n',
    'docs/README.md': INDEX,
    'docs/start.md': START,
    'docs/adr/0001-a.md': '# 0001: Why & how\n\n## Context\n\nSee [start](../start.md).\n',
    'docs/api-changelog.md': '# Changes\n',
    'docs/openapi-v1.json': '{}',
    'docs/deployment/a.cfg': 'a\n',
    'docs/a.png': '',
  };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(root, file), text);
  return Guides.read(root);
}

test('Files have the addresses of the site', () => {
  const addresses = [
    'docs/README.md',
    'docs/a/README.md',
    'docs/a/b.md',
    'docs/a/b.cfg',
    'README.md',
  ];
  expect(addresses.map(addressOf)).toEqual([
    'guides',
    'guides/a',
    'guides/a/b',
    'guides/a/b.cfg',
    'guides/readme',
  ]);
  expect(addressOf('docs/openapi-v2.json')).toBe('openapi/v2.json');
});

describe('The guides', () => {
  it('are grouped as their index groups them, each at its home', async () => {
    const { groups } = await documentation();
    expect(groups).toEqual([
      { title: 'Call', entries: [{ file: 'docs/start.md', label: 'Start `here`', goal: 'begin' }] },
      {
        title: 'Decisions',
        entries: [
          { file: 'docs/adr/0001-a.md', label: '0001: Why & how', goal: '[0001](adr/0001-a.md)' },
        ],
      },
    ]);
  });

  it('are found by their addresses, and nothing else is', async () => {
    const guides = await documentation();
    expect(guides.fileAt('guides/start')).toBe('docs/start.md');
    expect(guides.fileAt('guides/deployment/a.cfg')).toBe('docs/deployment/a.cfg');
    for (const address of ['guides/../package.json', 'guides/start.md', 'guides/src/main.ts', '']) {
      expect(guides.fileAt(address)).toBeUndefined();
    }
  });
});

describe('The page of a guide', () => {
  it('links to other pages from where it is, and to no file that is not served', async () => {
    const guides = await documentation();
    const page = await guidePage(guides, 'docs/start.md');
    expect(page).toContain('<a href="#one">first</a>');
    expect(page).toContain('<a href="../guides/adr/0001-a#context">why</a>');
    expect(page).toContain('<a href="../guides/deployment/a.cfg">the file</a>');
    expect(page).toContain(', code, and');
    expect(page).toContain('<a href="https://example.com/?a&amp;b">a site</a>');
    expect(await guidePage(guides, 'docs/adr/0001-a.md')).toContain(
      '<a href="../../guides/start">start</a>',
    );
    expect(await guidePage(guides, 'README.md')).toContain('<a href="../changelog#x">changes</a>');
  });

  it('names its headings as GitHub does, and lists them', async () => {
    const page = await guidePage(await documentation(), 'docs/start.md');
    expect(page).toContain('<h2 id="one"><a href="#one">One</a></h2>');
    expect(page).toContain('<h2 id="one-1"><a href="#one-1">One</a></h2>');
    expect(page).toContain('<li class="depth-2"><a href="#one-1">One</a></li>');
  });

  it('shows code and HTML as text, and a diagram as a drawing', async () => {
    const page = await guidePage(await documentation(), 'docs/start.md');
    expect(page).toContain('<pre><code>echo &quot;$KEY&quot; | tee &lt;file</code></pre>');
    expect(page).toContain('&lt;script&gt;');
    expect(page).not.toContain('<script>alert');
    expect(page).toContain('<div class="scroll"><table>');
    expect(page).toContain('alt="Diagram: One"');
    expect(page).toContain('<img src="../guides/a.png" alt="A page" loading="lazy">');
  });

  it('marks itself in the list, and leads to its neighbours', async () => {
    const page = await guidePage(await documentation(), 'docs/start.md');
    expect(page).toContain(
      '<a href="../guides/start" aria-current="page">Start <code>here</code></a>',
    );
    expect(page).toContain(
      '<a href="../guides/adr/0001-a"><small>Next</small> 0001: Why &amp; how</a>',
    );
    expect(page).not.toContain('Previous</small>');
  });
});

test('The index of the search has every section of every guide, without marks', async () => {
  const rows = JSON.parse(await searchIndex(await documentation())) as string[][];
  expect(rows.map(([, , address]) => address)).toEqual([
    ...['guides', 'guides#call', 'guides#decisions'],
    ...['guides/start', 'guides/start#one', 'guides/start#one-1'],
    ...['guides/adr/0001-a', 'guides/adr/0001-a#context', 'guides/readme', 'guides/releases'],
  ]);
  const [, , , first] = rows.find(([, , address]) => address === 'guides/start') ?? [];
  expect(first).toBe('The first step, why, the file, code, and a site.');
});
