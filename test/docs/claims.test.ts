import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { programFor } from '../../src/cli/program.ts';
import { nodesOf, treeOf } from '../../src/cli/shared/command-tree.ts';
import { composition } from '../../src/composition.ts';
import { bearer, Service } from '../support/service.ts';
import { blocksOf, codeOf, PAGES, tableOf } from './markdown.ts';

/** The pages about the current service: all but the changelog and past decisions. */
const GUIDES = PAGES.filter((page) => page !== 'CHANGELOG.md' && !page.startsWith('docs/adr/'));

/** Matches a path of the service, optionally with its method. */
const PATH = /^(?:([A-Z]+) )?(\/[\w./{}-]*)(?:\?\S*)?$/;

/** Matches paths of files, and prefixes of the service's paths. */
const NO_PATHS = /^\/(?:(?:opt|etc|data|tmp|var|dev|proc|store-orders)\b|v[12]$|tlog$)/;

type Commands = ReadonlyMap<string, ReadonlySet<string>>;

const program = await programFor({ composition, terminal: process });

/** The options of each command, keyed by its words, such as "audit show"; global ones by "". */
const COMMANDS: Commands = new Map(
  nodesOf(treeOf(program)).map(({ words, flags }) => {
    const options = flags.flatMap((flag) => flag.flags).filter((flag) => flag.startsWith('--'));
    return [words.join(' '), new Set(options)];
  }),
);

/** Returns the commands in a text, each with its words and its options. */
function runsOf(text: string): readonly [string, readonly string[]][] {
  const runs = [...text.matchAll(/(?<=\bnpx store-orders |\bbin\/store-orders ).*/g)].map(
    ([run]) => run,
  );
  // In prose a command may be written without the program's name: `audit refusals`.
  const short = COMMANDS.has(text.split(' ')[0] ?? '') ? [text] : [];
  return [...runs, ...short].map((run) => {
    const [command = ''] = run.split(/ *[|;&>`)"]| 2>|$/m, 1);
    const words = command.split(' ');
    const length = words.findIndex((_, at) => !COMMANDS.has(words.slice(0, at + 1).join(' ')));
    const path = words.slice(0, length < 0 ? words.length : length).join(' ');
    return [
      path,
      words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0] ?? ''),
    ];
  });
}

/** Matches an address of the service in a command: its path after the base. */
const AFTER_BASE = /\$BASE(\/(?:v1|v2|store)\b)/g;

test.each(GUIDES)(
  'The commands in %s have the base that they need, with its version or without',
  (page) => {
    const blocks = blocksOf(page);
    // A page sets its base itself, or says for commands that it only shows how to set it.
    const set = blocks.flatMap(({ text }) => [...text.matchAll(/^ *BASE=(.*)$/gm)]);
    const shown = codeOf(page).filter((code) => /^BASE=\S+$/.test(code));
    const bases = [...set.map(([, base]) => base), ...shown.map((code) => code.slice(5))];
    for (const { text } of blocks) {
      for (const [, path] of text.matchAll(AFTER_BASE)) {
        const isRight = bases.some((base) => base?.endsWith('/v1') === (path === '/store'));
        expect(isRight, text).toBe(true);
      }
    }
  },
);

describe('The command line', () => {
  test.each(GUIDES)('has the commands and options in %s', (page) => {
    for (const text of codeOf(page)) {
      for (const [path, options] of runsOf(text)) {
        const known = [...(COMMANDS.get(path) ?? []), ...(COMMANDS.get('') ?? [])];
        if (!options.includes('--help')) expect(path, text).not.toBe('');
        for (const option of options) expect(known, text).toContain(option);
      }
    }
  });

  test('has no undocumented command', () => {
    const runs = GUIDES.flatMap(codeOf).flatMap((text) => runsOf(text));
    const named = new Set(runs.map(([path]) => path));
    const leaves = [...COMMANDS.keys()].filter((path) => {
      return ![...COMMANDS.keys()].some((other) => other.startsWith(`${path} `)) && path !== '';
    });
    expect(leaves.filter((path) => !named.has(path))).toEqual([]);
  });

  test('is listed in the README', () => {
    const layout = blocksOf('README.md').find(({ text }) => text.startsWith('src/domain'));
    const [, listed = ''] =
      layout?.text.match(/^src\/cli +the command line: (.*?)\n(?=src)/ms) ?? [];
    const top = [...COMMANDS.keys()].filter((path) => /^[a-z-]+$/.test(path));
    expect(listed.split(/,\s+/).toSorted()).toEqual(top.toSorted());
  });
});

test('The npm scripts that pages name exist', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object };
  for (const text of PAGES.flatMap(codeOf)) {
    for (const [, name = ''] of text.matchAll(/\bnpm (?:run )?(start|test|(?<=run )[\w:-]+)/g)) {
      expect(Object.keys(scripts), text).toContain(name);
    }
  }
});

test('The table of settings lists exactly the variables that the service reads', () => {
  const read = ['config', 'limits', 'witness-settings'].map((file) => {
    return readFileSync(`src/infra/settings/${file}.ts`, 'utf8');
  });
  const told = tableOf('docs/operations/settings.md', 'variable | default | what it is').map(
    ([name]) => name,
  );
  // The row of HEAD_FILE has its earlier name.
  expect([...told, 'WITNESS_FILE'].sort()).toEqual(
    read.flatMap((text) => text.match(/(?<=^ {2})[A-Z_]+(?=:)/gm)).sort(),
  );
  const sources = globSync('src/**/*.ts').map((file) => readFileSync(file, 'utf8'));
  const others = sources.flatMap((text) => [
    ...text.matchAll(/(?<=process\.env\.)\w+|(?<=\.env\(')\w+|(?<=\benvironment\.)[A-Z_]+\b/g),
  ]);
  const named = GUIDES.flatMap(codeOf);
  // Other variables are not settings of the service, but each is in some page.
  for (const [name] of others) expect(named).toContain(name);
  expect(others.join()).toContain('STORE_ORDERS_KEY');
});

describe('A service', () => {
  test('creates exactly the files in the table', async () => {
    await using service = await Service.start();
    const headers = bearer('nobody');
    await service.ask('GET', '/v1/store/orders', { headers });
    const folder = dirname(service.databaseFile);
    const kept = () => readdirSync(folder).map((name) => `data/${name}`);
    const refusals = 'data/store-orders.db-refusals';
    await expect.poll(kept, { timeout: 10_000 }).toContain(refusals);
    const told = tableOf('docs/operations/settings.md', 'file | what it is').map(
      ([name = '']) => name,
    );
    // The row of the refusals mentions these temporary files.
    const more = ['wal', 'shm', 'journal'].map((name) => `${refusals}-${name}`);
    expect([...told, ...more]).toEqual(expect.arrayContaining(kept()));
    const rare = told.filter((name) => /-snapshot$|-journal$|-cosigned$/.test(name));
    expect([...kept(), ...rare]).toEqual(expect.arrayContaining(told));
    await service.program.end();
    expect(kept().filter((name) => /-(?:wal|shm)$/.test(name))).toEqual([]);
  });

  test('writes log lines with exactly the fields in the table', async () => {
    await using service = await Service.start();
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const traced = { traceparent, 'X-Request-Id': 'mine' };
    await service.ask('GET', '/v1/store/orders', { headers: traced });
    await service.ask('GET', '/nowhere', { headers: bearer('nobody') });
    await service.program.end();
    const lines = service.program.log.filter(({ msg }) => msg === 'request');
    expect(lines).toHaveLength(2);
    const told = tableOf('docs/operations/monitoring.md', 'field | what it says').flatMap(
      ([names = '']) => names.replaceAll('`', '').split(', '),
    );
    for (const line of lines) expect(told).toEqual(expect.arrayContaining(Object.keys(line)));
    // The other fields occur only in lines about problems.
    const seldom = ['cause', 'stepMs'];
    expect(told.filter((field) => !lines.some((line) => field in line))).toEqual(seldom);
  });

  test('answers at the paths that pages name', async () => {
    await using service = await Service.start();
    const order = { petId: 1, quantity: 1 };
    expect((await service.send('POST', '/v1/store/orders', order)).status).toBe(201);
    const named = GUIDES.flatMap(codeOf).flatMap((text) => {
      const [, method = 'GET', path = ''] = text.match(PATH) ?? [];
      return path === '' || NO_PATHS.test(path)
        ? []
        : [`${method} ${path.replaceAll(/\{\w+\}/g, '1')}`];
    });
    for (const request of new Set(named)) {
      const [method = '', path = ''] = request.split(' ');
      expect([404, 405], request).not.toContain((await service.ask(method, path)).status);
    }
  });
});
