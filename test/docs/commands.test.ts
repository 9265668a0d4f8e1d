import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { Cluster } from '../support/postgres/cluster.ts';
import { type Block, blocksOf, PAGES } from './markdown.ts';
import { IN_A_TERMINAL, INSTALLED_HERE, NOT_HERE, paste, sqlCommand, stable } from './paste.ts';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Record<string, string>;
};

/** A block of commands, and the block behind it if that shows what they print. */
interface Step {
  readonly commands: string;
  readonly shown: string | undefined;
}

function stepsOf(page: string): readonly Step[] {
  const blocks = blocksOf(page);
  return blocks.flatMap((block, index) => {
    const commands = commandsIn(block);
    if (commands === undefined) return [];
    return [{ commands, shown: shownBy(block, blocks[index + 1]) }];
  });
}

function commandsIn({ language, text }: Block): string | undefined {
  if (language === 'sh') return text;
  return language === 'sql' ? sqlCommand(text) : undefined;
}

function shownBy({ section }: Block, next: Block | undefined): string | undefined {
  if (next?.section !== section) return undefined;
  return next.language === 'text' || next.language === 'json' ? next.text : undefined;
}

/** What a page shows, with "…" for lines that it leaves out. */
function pattern(shown: string): RegExp {
  const lines = stable(shown).split('\n');
  const parts = lines.map((line) => (line === '…' ? '[\\s\\S]*' : RegExp.escape(line)));
  return new RegExp(`^${parts.join('\n')}$`);
}

describe.each(PAGES.filter((page) => stepsOf(page).length > 0))('%s', (page) => {
  // Some pages start dozens of processes.
  test('its commands work as they stand, one after another, and print what is shown', {
    timeout: 240_000,
  }, async () => {
    const folder = temporaryFolder();
    const steps = stepsOf(page).filter(({ commands }) => !(commands in NOT_HERE));
    const pasted = await paste(
      folder,
      steps.map(({ commands }) => commands),
      await postgresFor(page),
    );
    for (const [index, { commands, output, status }] of pasted.entries()) {
      expect.soft(status, `${commands}${output}`).toBe('0');
      const shown = steps[index]?.shown;
      if (shown !== undefined) expect.soft(output, commands).toMatch(pattern(shown));
    }
    if (page === 'docs/operations.md') compareLogLines(join(folder, 'service.log'));
  });
});

/** The port of a PostgreSQL as the page presupposes it, where it does. */
async function postgresFor(page: string): Promise<number | undefined> {
  if (page !== 'docs/postgresql.md') return undefined;
  const cluster = await Cluster.start();
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  await cluster.sql('CREATE DATABASE orders');
  return cluster.port;
}

/** The line that the page shows has the fields of a real one, in the same order. */
function compareLogLines(file: string): void {
  const shown = blocksOf('docs/operations.md').find(({ text }) => text.includes('requestId'));
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const isReady = ({ path, status }: Record<string, unknown>) =>
    path === '/readyz' && status === 200;
  const real = lines.find((line) => isReady(JSON.parse(line)));
  expect(fieldsOf(shown?.text)).toEqual(fieldsOf(real));
}

function fieldsOf(line = ''): readonly string[] {
  return Object.keys(JSON.parse(line) as object);
}

describe('commands that are not run as they stand', () => {
  test('stand in a page, so that no exception outlives its reason', () => {
    const commands = PAGES.flatMap((page) => stepsOf(page).map((step) => step.commands));
    for (const exceptions of [IN_A_TERMINAL, INSTALLED_HERE, NOT_HERE]) {
      for (const exception of Object.keys(exceptions)) expect(commands).toContain(exception);
    }
  });

  test('install the versions that are installed here', () => {
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
    expect(versions).toHaveLength(4);
    for (const { name, version, installed } of versions) expect(installed, name).toBe(version);
  });

  test('name scripts that there are, and the gate installs and tests with them', () => {
    expect(scripts).toHaveProperty('start');
    expect(scripts).toHaveProperty('test');
    expect(scripts).toHaveProperty('demo');
    const gate = readFileSync('.ci/run', 'utf8');
    expect(gate).toMatch(/^npm ci /m);
    expect(gate).toMatch(/^npm test /m);
  });
});
