import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { layersFile, PACKAGES, ROOMS } from '../../tools/layers.ts';
import { temporaryFolder } from '../support/folder.ts';
import { partByDay } from '../support/nightly.ts';
import { importsOf, SOURCE_FILES, sourceOf } from './sources.ts';

const BIOME = resolve('node_modules/.bin/biome');

interface Complaint {
  readonly category: string;
  readonly location: { readonly path: string; readonly start: { readonly line: number } };
}

/** Lints files by the project's rules, in a folder of their own. Returns "path:line rule" of each. */
async function lint(files: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = temporaryFolder();
  for (const name of ['biome.json', 'biome.layers.json']) cpSync(name, join(folder, name));
  for (const [name, code] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, code);
  }
  const tops = new Set(Object.keys(files).map((name) => name.split('/')[0] as string));
  const report = await new Promise<string>((done) => {
    const limit = ['--max-diagnostics=none', '--reporter=json'];
    execFile(BIOME, ['lint', ...limit, ...tops], { cwd: folder }, (_, out) => done(out));
  });
  const { diagnostics } = JSON.parse(report) as { readonly diagnostics: readonly Complaint[] };
  const complaints = diagnostics.map(({ category, location: { path, start } }) => {
    return `${path}:${start.line} ${category}`;
  });
  return [...new Set(complaints)];
}

const EXISTING = 'export const existing = 1;\n';

/** Planted imports by file: those that are refused, and some that pass: the rule is not merely "no". */
const RULES: readonly { rule: string; file: string; never: string[]; may: string[] }[] = [
  {
    rule: 'domain imports nothing but itself',
    file: 'src/domain/order.ts',
    never: [
      '../app/write/writer.ts',
      '../infra/settings/config.ts',
      '../http/app.ts',
      '../cli/program.ts',
      '../container.ts',
      'zod',
      'effect',
      'node:crypto',
      'node:fs',
    ],
    may: ['./decider.ts'],
  },
  {
    rule: 'the client, which is for browsers too, imports nothing but itself',
    file: 'src/client/client.ts',
    never: [
      '../domain/order.ts',
      '../app/audit/proofs/verifier.ts',
      '../http/api-error.ts',
      'store-orders/verifier',
      'zod',
      'node:crypto',
      'node:fs/promises',
    ],
    may: ['./transport.ts'],
  },
  {
    rule: 'the console imports the client, and of the service what verifies proofs',
    file: 'src/console/state/proof-steps.ts',
    never: [
      '../../app/audit/proving/prover.ts',
      '../../app/audit/proofs/crypto.ts',
      '../../app/write/writer.ts',
      '../../infra/events/codec.ts',
      '../../http/app.ts',
      '../views/proof.tsx',
      '@noble/hashes/sha2.js',
      'node:crypto',
    ],
    may: ['../../app/audit/proofs/verifier.ts', '../../client/client.ts', './times.ts'],
  },
  {
    rule: 'app imports domain and app only, and no package',
    file: 'src/app/write/writer.ts',
    never: [
      '../../infra/sqlite/database.ts',
      '../../http/app.ts',
      '../../cli/program.ts',
      '../../engines.ts',
      '../../container.ts',
      '../../service.ts',
      '../../main.ts',
      'zod',
      'pino',
      'express',
      'tsyringe',
      'better-sqlite3',
      'pg',
      'left-pad',
    ],
    may: [
      '../../domain/order.ts',
      '../ports/event-log.ts',
      '../log/recorded-event.ts',
      'node:crypto',
    ],
  },
  {
    rule: 'the two sides of app, commands and queries, import neither each other nor audit',
    file: 'src/app/read/projector.ts',
    never: ['../write/writer.ts', '../audit/prover.ts', '../import/import-run.ts'],
    may: [
      '../state/order-list.ts',
      '../ports/event-log.ts',
      '../log/recorded-event.ts',
      '../clock.ts',
    ],
  },
  {
    rule: 'the log is the lowest room of app',
    file: 'src/app/log/recorded-event.ts',
    never: [
      '../state/order-image.ts',
      '../ports/event-log.ts',
      '../audit/prover.ts',
      '../clock.ts',
      '../../infra/events/codec.ts',
    ],
    may: ['../../domain/order.ts', './merkle-tree.ts', 'node:crypto'],
  },
  {
    rule: 'the state imports domain and the log only',
    file: 'src/app/state/order-list.ts',
    never: ['../ports/snapshots.ts', '../read/projector.ts', '../write/writer.ts'],
    may: ['../../domain/order.ts', '../log/recorded-event.ts', './order-image.ts'],
  },
  {
    rule: 'the oracle of the kit shares no code with anything',
    file: 'test/kit/oracle/table.ts',
    never: [
      '../../../src/domain/order.ts',
      '../../../src/app/write/writer.ts',
      '../run.ts',
      'store-orders/testing',
      'fast-check',
      'node:fs',
    ],
    may: ['./store.ts', '../vocabulary.ts'],
  },
  {
    rule: 'a port imports domain, the log and ports only',
    file: 'src/app/ports/batch-writer.ts',
    never: [
      '../../infra/settings/config.ts',
      '../../http/app.ts',
      '../state/order-list.ts',
      '../audit/prover.ts',
      '../keys/api-key.ts',
      '../write/writer.ts',
      '../clock.ts',
      'better-sqlite3',
    ],
    may: ['../../domain/order.ts', '../log/recorded-event.ts', './event-log.ts'],
  },
  {
    rule: 'infra knows neither http nor cli nor what is above them',
    file: 'src/infra/events/codec.ts',
    never: [
      'pg',
      'pino',
      '../../http/app.ts',
      '../../cli/program.ts',
      '../../engines.ts',
      '../../container.ts',
      '../../main.ts',
      'zod',
      'zod/v4',
      'effect',
      'effect/Either',
      '@effect/schema',
      '@effect/schema/Schema',
      'tsyringe',
      'better-sqlite3',
      'express',
    ],
    may: ['../../app/write/writer.ts', '../../domain/order.ts', 'node:fs', 'node:fs/promises'],
  },
  {
    rule: 'the grammar of events does without its fast path and without the engines',
    file: 'src/infra/events/row-mapping.ts',
    never: ['./fast/event-parser.ts', '../sqlite/database.ts', '../postgres/database.ts'],
    may: ['./codec.ts'],
  },
  {
    rule: 'the logger may use pino',
    file: 'src/infra/process/logger.ts',
    never: ['zod', 'express', '../../http/app.ts', '../sqlite/database.ts'],
    may: ['pino', '../../app/clock.ts', 'node:fs'],
  },
  {
    rule: 'the engine in memory imports neither of the others',
    file: 'src/infra/memory/event-log.ts',
    never: ['../sqlite/event-log.ts', '../postgres/event-log.ts', 'pg', 'better-sqlite3'],
    may: ['../events/codec.ts', '../../app/ports/event-log.ts'],
  },
  {
    rule: 'the SQLite engine is the home of better-sqlite3 and of nothing else',
    file: 'src/infra/sqlite/database.ts',
    never: [
      '../../http/app.ts',
      '../../cli/program.ts',
      '../postgres/database.ts',
      '../memory/event-log.ts',
      'effect/Either',
      'zod/mini',
      'tsyringe',
      'pg',
    ],
    may: ['better-sqlite3', '../events/codec.ts', '../../app/write/writer.ts'],
  },
  {
    rule: 'the PostgreSQL engine is the home of pg and of nothing else',
    file: 'src/infra/postgres/database.ts',
    never: [
      '../../http/app.ts',
      '../../cli/program.ts',
      '../sqlite/database.ts',
      '../memory/event-log.ts',
      'effect/Either',
      'zod/mini',
      'tsyringe',
      'better-sqlite3',
    ],
    may: ['pg', '../events/codec.ts', '../../app/write/writer.ts'],
  },
  {
    rule: 'the configuration may use zod',
    file: 'src/infra/settings/config.ts',
    never: ['../../http/app.ts', '@effect/schema', 'tsyringe', 'better-sqlite3'],
    may: ['zod', '../../app/keys/api-key.ts'],
  },
  {
    rule: 'the schema of events is the home of @effect/schema',
    file: 'src/infra/events/schema.ts',
    never: ['../../http/app.ts', 'zod', 'tsyringe', 'better-sqlite3'],
    may: ['@effect/schema', 'effect', 'effect/Either', '../../domain/order.ts'],
  },
  {
    rule: 'http never reaches into infra',
    file: 'src/http/app.ts',
    never: [
      'pg',
      '../infra/process/logger.ts',
      '../infra/sqlite/database.ts',
      '../cli/program.ts',
      '../container.ts',
      '../main.ts',
      '@effect/schema',
      'effect/Either',
      'tsyringe',
      'reflect-metadata/lite',
      'better-sqlite3',
    ],
    may: ['../app/write/writer.ts', '../domain/order.ts', './answers/list.ts', 'express', 'zod'],
  },
  {
    rule: 'no room of http reaches into infra or cli',
    file: 'src/http/operations/orders.ts',
    never: ['../../infra/sqlite/database.ts', '../../cli/program.ts', '../../container.ts', 'pg'],
    may: ['../../app/write/writer.ts', '../answers/list.ts', '../app.ts', 'express'],
  },
  {
    rule: 'cli is handed what it needs',
    file: 'src/cli/program.ts',
    never: [
      'pg',
      '../infra/sqlite/store.ts',
      '../http/app.ts',
      '../container.ts',
      '../main.ts',
      '@effect/schema',
      'tsyringe',
      'better-sqlite3',
      'express',
    ],
    may: ['../app/write/writer.ts', '../domain/order.ts', './shared/print.ts', 'commander'],
  },
  {
    rule: 'the container is the home of tsyringe',
    file: 'src/container.ts',
    never: ['pg', './main.ts', './service.ts', '@effect/schema', 'better-sqlite3', 'express'],
    may: ['tsyringe', 'reflect-metadata', './infra/settings/config.ts', './http/app.ts'],
  },
];

// However it is written, an import is an import.
const FORMS = [
  (name: string) => `import '${name}';`,
  (name: string, line: number) => `export { existing as from${line} } from '${name}';`,
  (name: string, line: number) => `export type { existing as from${line} } from '${name}';`,
  (name: string) => `await import('${name}');`,
];

describe('the linter keeps the layers apart', () => {
  it.each(partByDay(RULES, 3))('$rule', async ({ file, never, may }) => {
    const folder = dirname(file);
    const neighbours = [...never, ...may].filter((name) => name.startsWith('.'));
    const existing = Object.fromEntries(neighbours.map((name) => [join(folder, name), EXISTING]));
    // A file with every form of every import, so that one run of the linter sees them all.
    const imports = FORMS.flatMap((form) => [...may, ...never].map((name) => ({ form, name })));
    const code = imports.map(({ form, name }, index) => form(name, index)).join('\n');
    const refused = imports.flatMap(({ name }, index) => {
      return never.includes(name) ? [`${file}:${index + 1} lint/style/noRestrictedImports`] : [];
    });
    expect(await lint({ ...existing, [file]: code })).toStrictEqual(refused);
  });

  test('the rules in biome.layers.json are those of the table (npm run layers)', () => {
    expect(readFileSync('biome.layers.json', 'utf8')).toBe(layersFile());
  });

  test('every file of src stands in a room of the table', () => {
    const strays = SOURCE_FILES.filter((file) => {
      const folder = dirname(file);
      return !((folder === '.' ? file : folder) in ROOMS);
    });
    expect(strays).toStrictEqual([]);
  });

  test('every home of a package imports it', () => {
    for (const [name, homes] of Object.entries(PACKAGES)) {
      for (const home of homes) {
        const files = SOURCE_FILES.filter((file) => file === home || file.startsWith(`${home}/`));
        const imported = files.flatMap((file) => importsOf(sourceOf(file)));
        const isUsed = imported.some((it) => it === name || it.startsWith(`${name}/`));
        expect(isUsed, `${home} imports ${name}`).toBe(true);
      }
    }
  });

  it('no file imports itself by a detour', async () => {
    const there = { 'src/domain/a.ts': "export { b } from './b.ts';\n" };
    const back = { 'src/domain/b.ts': "import './a.ts';\nexport const b = 1;\n" };
    const cycle = 'lint/suspicious/noImportCycles';
    expect(await lint({ ...there, ...back })).toStrictEqual([
      `src/domain/a.ts:1 ${cycle}`,
      `src/domain/b.ts:1 ${cycle}`,
    ]);
    expect(await lint({ ...there, 'src/domain/b.ts': 'export const b = 1;\n' })).toStrictEqual([]);
  });

  it('no file marks a value as never absent, defaults its export or lets a type slip', async () => {
    const lax = 'export default (x?: string) => x!.length as unknown as any;\n';
    expect(await lint({ 'src/app/write/writer.ts': lax })).toStrictEqual([
      'src/app/write/writer.ts:1 lint/style/noDefaultExport',
      'src/app/write/writer.ts:1 lint/style/noNonNullAssertion',
      'src/app/write/writer.ts:1 lint/suspicious/noExplicitAny',
    ]);
  });
});

describe('the linter keeps the wall clock in its places', () => {
  const uses = [
    'export const a = Date.now();',
    'export const b = new Date();',
    'export const c = typeof Date;',
    'export const { now } = Date;',
  ];
  const denied = 'lint/style/noRestrictedGlobals';

  it.each([
    'src/app/write/writer.ts',
    'src/domain/order.ts',
    'src/http/app.ts',
    'src/infra/sqlite/database.ts',
    'src/infra/settings/config.ts',
    'src/cli/keys.ts',
    'src/container.ts',
  ])('%s', async (file) => {
    expect(await lint({ [file]: uses.join('\n') })).toStrictEqual(
      uses.map((_, index) => `${file}:${index + 1} ${denied}`),
    );
  });

  it('which are these', async () => {
    for (const file of [
      'src/app/clock.ts',
      'src/client/retry-policy.ts',
      'src/domain/instant.ts',
      'src/infra/process/logger.ts',
    ]) {
      expect(await lint({ [file]: uses.join('\n') })).toStrictEqual([]);
    }
  });
});
