import { globSync } from 'node:fs';
import { type ESTree, parseSync } from 'rolldown/utils';
import { describe, expect, test } from 'vitest';
import { type Source, sourceOf } from './sources.ts';

/**
 * The engines are twins: right in their folders stand files of the same names, which export the same
 * functions and classes in the same order. A file or an export of one engine alone stands in a room
 * below, or is named here with its reason.
 */

const ENGINES = ['memory', 'sqlite', 'postgres'] as const;
type Engine = (typeof ENGINES)[number];

/** An engine's files, and the exports of each. */
type Files = ReadonlyMap<string, readonly Export[]>;

/** An exported function, class or constant; of a class, with its public methods. */
interface Export {
  readonly name: string;
  readonly methods: readonly string[];
}

/** The files of one engine alone, each with the reason. A star stands for any part of a name. */
const FILES_ALONE: Readonly<Record<string, string>> = {
  'sqlite/append-signal.ts': 'any instance appends to PostgreSQL, so each head is read there',
  'sqlite/backup.ts': 'PostgreSQL is backed up with its own tools',
  'sqlite/free-name.ts': 'SQLite keeps files of its own beside each file',
  'sqlite/guards.ts': 'the triggers of PostgreSQL share functions, which stand beside its tables',
  'sqlite/log-transaction.ts': 'a failed commit of SQLite leaves questions of its own',
  'sqlite/load-sqlite.ts': 'the client of PostgreSQL is no native module',
  'sqlite/side-reader-thread.ts': 'PostgreSQL reads in processes of its own',
  'sqlite/side-reader.ts': 'PostgreSQL reads in processes of its own',
  'sqlite/store-file.ts': 'a database on a server is no file, and has none beside it',
  'sqlite/waiting.ts': 'a store on a full disk waits until it can be written',
  'sqlite/working-table.ts': 'a table of a command is on this computer, wherever the store is',
  'sqlite/writer-*.ts': 'only SQLite is written in a thread of its own',
  'sqlite/worker-writer.ts': 'only SQLite is written in a thread of its own',
  'postgres/append-*.ts': 'several instances append at once, by two protocols',
  'postgres/arrays.ts': 'the driver has no fast way to send an array',
  'postgres/batch.ts': 'one statement writes a batch',
  'postgres/damage.ts': 'an owner can hide rows, which looks like damage',
  'postgres/event-lines.ts': 'the server sends a whole table in a text form of its own',
  'postgres/first-schema.ts': 'the first version is long, because triggers need functions there',
  'postgres/head-watch.ts': 'other instances append, too',
  'postgres/looks.ts': 'other sessions lock tables, and an owner can take rights away',
  'postgres/notifier.ts': 'other instances have to hear of an append',
  'postgres/rights.ts': 'a file has no roles',
  'postgres/schema-tables.ts':
    'a model of the schema cannot be made beside it, as it can in memory',
  'postgres/tree-aside.ts': 'the thread has no connection of its own, and is sent the events',
};

/** The exports of one engine alone, by file, each with the reason. */
const EXPORTS_ALONE: Readonly<Record<string, readonly [names: string, why: string]>> = {
  'sqlite/database.ts': [
    'openLocked openDurably requireWholeLog isOlder',
    'the writer, the copies and the tools each open the file, or find none, themselves',
  ],
  'postgres/database.ts': [
    'openForCopy aboutStoreIn orClose requireEpochsIn cannotOpen',
    'a database may have half a copy in it, a connection has to be closed, an instance meets new epochs, and words for a file stand in store-file.ts',
  ],
  'postgres/checked-rows.ts': ['THROUGH_INDEXES', 'the server may scan a table that has an index'],
  'sqlite/epochs-table.ts': [
    'requireSameEpoch storeIdOf isCopy copyIn firstHeadOf',
    'a copied file says of itself that it is one; and no other instance begins an epoch',
  ],
  'sqlite/key-store.ts': [
    'noteKeyChangesIn',
    'the end of the -wal file may be lost, and the head file lies beside the store',
  ],
  'postgres/epochs-table.ts': [
    'isHandedOver recordedHome homeOf HERE HOME_FORM isSameDatabase',
    'a dump cannot say of itself that it is one; and a store may be moved or copied under an instance',
  ],
  'sqlite/event-traces.ts': ['EventTraces', 'prepares its statements once'],
  'postgres/event-traces.ts': ['readTraces tracesColumns', 'has no prepared state'],
  'sqlite/event-log.ts': [
    'openLog WATCH_INTERVAL_MS',
    'the log of a file is opened with its head file; and a server looks at the file now and then',
  ],
  'sqlite/checked-rows.ts': ['checkStructure', 'a file has a structure that SQLite can check'],
  'sqlite/evidence.ts': ['BEFORE_ALL selectRows treeOf', 'its check reads by the same statements'],
  'sqlite/store-check.ts': ['openEvidenceWithRefusals', 'refusals are in a file of their own'],
  'postgres/store-check.ts': ['REFUSALS', '`verify` reads by the same statement'],
  'sqlite/kept-outcomes-table.ts': ['KeptOutcomesTable', 'prepares its statements once'],
  'postgres/kept-outcomes-table.ts': ['readKept readKeptAfter columnsOf', 'has no prepared state'],
  'postgres/merkle-tables.ts': ['growth', 'the tree grows in the statement of the batch'],
  'sqlite/migrations.ts': [
    'migrateLocked registerChecksums refuseForeignFile',
    'a session may take its lock again; SQL calls a function of this program; and any file may be named',
  ],
  'sqlite/schema.ts': [
    'APPLICATION_ID WITH_TREE',
    'a file is told by its id; and its first schema had no tree',
  ],
  'postgres/schema.ts': [
    'MIGRATION_LOCK REFUSALS_LOCK SERVING_LOCK COPY_LOCK CHANNEL',
    'locks and channels of a server have names',
  ],
  'postgres/known-head.ts': [
    'OtherLog',
    'a database may be exchanged and be the right one again; a file that is exchanged is damage',
  ],
  'sqlite/parts.ts': ['readersOf', 'a store on a full disk has readers before it has a writer'],
  'postgres/schema-check.ts': [
    'OWN_TABLES NOT_GUARDED gravestFlaws restoreGuards',
    'an owner can switch triggers off',
  ],
  'sqlite/stored-events.ts': ['StoredEvents', 'prepares its statement once'],
  'postgres/stored-events.ts': ['readStored', 'has no prepared state'],
  'sqlite/head-file.ts': [
    'requireSameBeside begunHeadOf readHeadOf headFileOf',
    'the head file lies beside the store and tells the server of appends',
  ],
  'postgres/head-file.ts': ['openHeadFile', 'the head file lies on the machine of each instance'],
};

function exportsIn({ file, text }: Source): readonly Export[] {
  const declared = parseSync(file, text).program.body.flatMap((statement) =>
    statement.type === 'ExportNamedDeclaration' ? [statement.declaration] : [],
  );
  return declared.flatMap((declaration) => {
    if (declaration?.type === 'ClassDeclaration') {
      return [{ name: withoutEngine(declaration.id?.name), methods: methodsOf(declaration) }];
    }
    if (declaration?.type === 'FunctionDeclaration') {
      return [{ name: withoutEngine(declaration.id?.name), methods: [] }];
    }
    if (declaration?.type !== 'VariableDeclaration') return [];
    return declaration.declarations.flatMap(({ id }) =>
      id.type === 'Identifier' ? [{ name: id.name, methods: [] }] : [],
    );
  });
}

function withoutEngine(name = ''): string {
  return name.replace(/(?:In|Of)?(?:Memory|Sqlite|Postgres)/, '');
}

function methodsOf({ body }: ESTree.Class): readonly string[] {
  return body.body.flatMap((member) => {
    if (member.type !== 'MethodDefinition' || member.kind === 'constructor') return [];
    return member.key.type === 'Identifier' ? [member.key.name] : [];
  });
}

function filesOf(engine: Engine): Files {
  const files = globSync('*.ts', { cwd: `src/infra/${engine}` }).sort();
  return new Map(files.map((file) => [file, exportsIn(sourceOf(`infra/${engine}/${file}`))]));
}

/** Returns what one engine has and another has not, or has in another order. */
function differences(engines: Readonly<Record<Engine, Files>>): readonly string[] {
  return [
    ...missingFiles(engines, 'memory', 'sqlite'),
    ...missingFiles(engines, 'sqlite', 'postgres'),
    ...missingFiles(engines, 'postgres', 'sqlite'),
    ...[...engines.memory.keys()].flatMap((file) => compare(engines, file, 'memory', 'sqlite')),
    ...[...engines.sqlite.keys()].flatMap((file) => compare(engines, file, 'sqlite', 'postgres')),
  ];
}

function missingFiles(engines: Readonly<Record<Engine, Files>>, from: Engine, to: Engine) {
  const files = [...engines[from].keys()].filter((file) => !engines[to].has(file));
  return files
    .filter((file) => !Object.keys(FILES_ALONE).some((name) => isNamed(`${from}/${file}`, name)))
    .map((file) => `${from}/${file} is not in ${to}`);
}

function isNamed(file: string, name: string): boolean {
  return new RegExp(`^${RegExp.escape(name).replaceAll('\\*', '[^/]*')}$`).test(file);
}

function compare(
  engines: Readonly<Record<Engine, Files>>,
  file: string,
  one: Engine,
  other: Engine,
): readonly string[] {
  const these = shared(engines, one, file);
  // No command works on a store in memory, and nothing of it outlives the process.
  const those = shared(engines, other, file)?.filter(({ name }) => {
    return one !== 'memory' || these?.some((each) => each.name === name) === true;
  });
  if (these === undefined || those === undefined) return [];
  const names = (list: readonly Export[]) => list.map(({ name }) => name).join(' ');
  if (names(these) !== names(those)) {
    return [`${file}: ${one} exports ${names(these)}; ${other} exports ${names(those)}`];
  }
  return these.flatMap(({ name, methods }, index) => {
    const others = those[index]?.methods ?? [];
    const here = methods.filter((method) => others.includes(method)).join(' ');
    const there = others.filter((method) => methods.includes(method)).join(' ');
    return here === there ? [] : [`${file}, ${name}: ${one} has ${here}; ${other} has ${there}`];
  });
}

function shared(engines: Readonly<Record<Engine, Files>>, engine: Engine, file: string) {
  const [alone = ''] = EXPORTS_ALONE[`${engine}/${file}`] ?? [];
  return engines[engine].get(file)?.filter(({ name }) => !alone.split(' ').includes(name));
}

const ACTUAL = Object.fromEntries(ENGINES.map((engine) => [engine, filesOf(engine)])) as Record<
  Engine,
  Files
>;

test('the engines have the same files, with the same exports in the same order', () => {
  expect(differences(ACTUAL)).toStrictEqual([]);
});

test('each exception names what one engine alone has', () => {
  const paths = ENGINES.flatMap((engine) =>
    [...ACTUAL[engine].keys()].map((file) => ({ engine, file, path: `${engine}/${file}` })),
  );
  const files = Object.keys(FILES_ALONE).filter((name) => {
    const found = paths.filter(({ path }) => isNamed(path, name));
    return !found.some(({ engine, file }) =>
      ENGINES.every((other) => other === engine || !ACTUAL[other].has(file)),
    );
  });
  const exports = Object.entries(EXPORTS_ALONE).flatMap(([path, [names]]) => {
    const [engine, file = ''] = path.split('/') as [Engine, string];
    const there = ACTUAL[engine].get(file)?.map(({ name }) => name) ?? [];
    const gone = names.split(' ').filter((name) => !there.includes(name));
    return gone.map((name) => `${path} ${name}`);
  });
  expect([...files, ...exports]).toStrictEqual([]);
});

describe('a breach is found:', () => {
  const planted = (file: string, text: string) => {
    const sqlite = new Map(ACTUAL.sqlite);
    if (text === '') sqlite.delete(file);
    else sqlite.set(file, exportsIn({ file, text }));
    return differences({ ...ACTUAL, sqlite });
  };
  const copy = `export async function openSqliteOriginal() {}\n`;
  const other = `export function openSqliteCopy() {}\n`;

  test.each([
    ['a file more', 'planted.ts', copy],
    ['a file less', 'copy.ts', ''],
    ['an export more', 'copy.ts', `${copy}${other}export const MORE = 1;\n`],
    ['an export less', 'copy.ts', copy],
    ['another order', 'copy.ts', `${other}${copy}`],
    [
      'another order of methods',
      'signing-keys.ts',
      'export class SqliteSigningKeys { add() {} list() {} }\n',
    ],
  ])('%s', (_, file, text) => {
    expect(planted(file, text)).not.toStrictEqual([]);
  });

  test('and a copy that is as it should be is none', () => {
    expect(planted('copy.ts', `${copy}${other}`)).toStrictEqual([]);
  });
});
