import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';

const BIOME = resolve('node_modules/.bin/biome');

interface Complaint {
  readonly category: string;
  readonly location: { readonly path: string; readonly start: { readonly line: number } };
}

/** Lints files by the project's rules, in a folder of their own: what is wrong, and where. */
async function lint(files: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = temporaryFolder();
  cpSync('biome.json', join(folder, 'biome.json'));
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

/** What no file may import, by the file; and what it may, so that the rule is not merely "no". */
const RULES: readonly { rule: string; file: string; never: string[]; may: string[] }[] = [
  {
    rule: 'domain imports nothing but itself',
    file: 'src/domain/order.ts',
    never: [
      '../app/writer.ts',
      '../infra/config.ts',
      '../http/app.ts',
      '../container.ts',
      'zod',
      'effect',
      'node:crypto',
      'node:fs',
    ],
    may: ['./decider.ts'],
  },
  {
    rule: 'app knows domain only, and no package',
    file: 'src/app/writer.ts',
    never: [
      '../infra/sqlite/database.ts',
      '../http/app.ts',
      '../cli/program.ts',
      '../container.ts',
      '../main.ts',
      'zod',
      'pino',
      'express',
      'tsyringe',
      'better-sqlite3',
      'pg',
    ],
    may: ['../domain/order.ts', './ports/event-log.ts', 'node:crypto'],
  },
  {
    rule: 'the oracle of the kit shares no code with anything',
    file: 'test/kit/oracle/table.ts',
    never: [
      '../../../src/domain/order.ts',
      '../../../src/app/writer.ts',
      '../run.ts',
      'store-orders/testing',
      'fast-check',
      'node:fs',
    ],
    may: ['./store.ts', '../vocabulary.ts'],
  },
  {
    rule: "app's ports know no more than app",
    file: 'src/app/ports/store.ts',
    never: ['../../infra/config.ts', '../../http/app.ts', 'better-sqlite3'],
    may: ['../../domain/order.ts', '../writer.ts', './event-log.ts'],
  },
  {
    rule: 'infra knows neither http nor cli nor what is above them',
    file: 'src/infra/event-codec.ts',
    never: [
      'pg',
      '../http/app.ts',
      '../cli/program.ts',
      '../container.ts',
      '../main.ts',
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
    may: ['../app/writer.ts', '../domain/order.ts', 'pino', 'node:fs'],
  },
  {
    rule: 'the SQLite engine is the home of better-sqlite3 and of nothing else',
    file: 'src/infra/sqlite/database.ts',
    never: [
      '../../http/app.ts',
      '../../cli/program.ts',
      'effect/Either',
      'zod/mini',
      'tsyringe',
      'pg',
    ],
    may: ['better-sqlite3', '../event-codec.ts', '../../app/writer.ts'],
  },
  {
    rule: 'the PostgreSQL engine is the home of pg and of nothing else',
    file: 'src/infra/postgres/database.ts',
    never: [
      '../../http/app.ts',
      '../../cli/program.ts',
      'effect/Either',
      'zod/mini',
      'tsyringe',
      'better-sqlite3',
    ],
    may: ['pg', '../event-codec.ts', '../../app/writer.ts'],
  },
  {
    rule: 'the configuration may use zod',
    file: 'src/infra/config.ts',
    never: ['../http/app.ts', '@effect/schema', 'tsyringe', 'better-sqlite3'],
    may: ['zod', '../app/api-key.ts'],
  },
  {
    rule: 'the schema of events is the home of @effect/schema',
    file: 'src/infra/event-schema.ts',
    never: ['../http/app.ts', 'zod', 'tsyringe', 'better-sqlite3'],
    may: ['@effect/schema', 'effect', '../domain/order.ts'],
  },
  {
    rule: 'http never reaches into infra',
    file: 'src/http/app.ts',
    never: [
      'pg',
      '../infra/logger.ts',
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
    may: ['../app/writer.ts', '../domain/order.ts', 'express', 'zod'],
  },
  {
    rule: 'cli is handed what it needs',
    file: 'src/cli/program.ts',
    never: [
      'pg',
      '../infra/sqlite/sqlite-store.ts',
      '../http/app.ts',
      '../container.ts',
      '../main.ts',
      '@effect/schema',
      'tsyringe',
      'better-sqlite3',
      'express',
    ],
    may: ['../app/writer.ts', '../domain/order.ts', 'commander'],
  },
  {
    rule: 'the container is the home of tsyringe',
    file: 'src/container.ts',
    never: ['pg', './main.ts', '@effect/schema', 'better-sqlite3', 'express'],
    may: ['tsyringe', 'reflect-metadata', './infra/config.ts', './http/app.ts'],
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
  it.each(RULES)('$rule', async ({ file, never, may }) => {
    const folder = dirname(file);
    const neighbours = [...never, ...may].filter((name) => name.startsWith('.'));
    const existing = Object.fromEntries(neighbours.map((name) => [join(folder, name), EXISTING]));
    for (const form of FORMS) {
      const lines = [...may, ...never].map(form);
      expect(await lint({ ...existing, [file]: lines.join('\n') })).toStrictEqual(
        never.map((_, index) => {
          return `${file}:${may.length + index + 1} lint/style/noRestrictedImports`;
        }),
      );
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
    expect(await lint({ 'src/app/writer.ts': lax })).toStrictEqual([
      'src/app/writer.ts:1 lint/style/noDefaultExport',
      'src/app/writer.ts:1 lint/style/noNonNullAssertion',
      'src/app/writer.ts:1 lint/suspicious/noExplicitAny',
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
    'src/app/writer.ts',
    'src/domain/order.ts',
    'src/http/app.ts',
    'src/infra/sqlite/database.ts',
    'src/infra/config.ts',
    'src/cli/keys.ts',
    'src/container.ts',
  ])('%s', async (file) => {
    expect(await lint({ [file]: uses.join('\n') })).toStrictEqual(
      uses.map((_, index) => `${file}:${index + 1} ${denied}`),
    );
  });

  it('which are these', async () => {
    for (const file of ['src/app/clock.ts', 'src/domain/instant.ts', 'src/infra/logger.ts']) {
      expect(await lint({ [file]: uses.join('\n') })).toStrictEqual([]);
    }
  });
});
