import { execFile, execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { isNightly } from '../../support/nightly.ts';
import { isOffline } from '../../support/registry.ts';
import { newFolder } from '../../support/service.ts';

/** The package of the testing kit and its starter folder, as engineers use them: packed and installed. */

const run = promisify(execFile);
const KIT = resolve('test/kit');
const MAX_BYTES = 5_000_000;
const TESTS = 6;
/** A timeout: an install takes seconds, and several times as long on a busy machine. */
const TIMEOUT_MS = 600_000;
/** An earlier Node.js than the tests', where there is one. */
const NODE_20 = '/usr/bin/node';

const folder = newFolder();
let tarball: string;
let unpackedBytes: number;

beforeAll(() => {
  const args = ['pack', '--json', '--pack-destination', folder];
  const told = execFileSync('npm', args, {
    cwd: KIT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [packed] = JSON.parse(told.slice(told.indexOf('['))) as [
    { filename: string; unpackedSize: number },
  ];
  tarball = join(folder, packed.filename);
  unpackedBytes = packed.unpackedSize;
});

/** The environment of a user, without the settings of the npm that runs these tests. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith('npm_')),
);

/** Returns a copy of the starter with the package, and with packages of this project linked. */
async function starterWith(...linked: string[]): Promise<string> {
  const project = newFolder();
  cpSync(join(KIT, 'starter'), project, { recursive: true });
  const home = join(project, 'node_modules/store-orders-testing');
  mkdirSync(home, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', home, '--strip-components=1']);
  for (const name of ['fast-check', ...linked]) {
    const link = join(project, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(resolve('node_modules', name), link);
  }
  return project;
}

describe('The package of the testing kit', () => {
  test('is small, and needs fast-check only', () => {
    expect(unpackedBytes).toBeLessThan(MAX_BYTES);
    const {
      dependencies,
      peerDependencies,
      private: isPrivate,
    } = JSON.parse(readFileSync(join(KIT, 'package.json'), 'utf8'));
    expect(dependencies).toBeUndefined();
    expect(Object.keys(peerDependencies)).toEqual(['fast-check']);
    expect(isPrivate).toBeUndefined();
  });

  const resolvedBy = [
    ['NodeNext', 'TypeScript 5', 'test/client/node_modules/typescript/bin/tsc'],
    ['Bundler', 'TypeScript 7', 'node_modules/typescript/bin/tsc'],
    ['Bundler', 'TypeScript 5', 'test/client/node_modules/typescript/bin/tsc'],
    ['NodeNext', 'TypeScript 7', 'node_modules/typescript/bin/tsc'],
  ] as const;
  test.each(isNightly ? resolvedBy : resolvedBy.slice(0, 2))(
    'has types for a strict compiler: %s, %s',
    async (resolution, version, compiler) => {
      const project = await starterWith('@types/node', 'vitest');
      const module = resolution === 'Bundler' ? 'preserve' : 'nodenext';
      const compilerOptions = {
        ...{ strict: true, noEmit: true, target: 'es2023', lib: ['es2023'], types: ['node'] },
        ...{ module, moduleResolution: resolution.toLowerCase(), allowImportingTsExtensions: true },
        ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
      };
      const files = ['suite.ts', 'loans.node.test.ts', 'orders.ts'];
      writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
      writeFileSync(
        join(project, 'orders.ts'),
        `import { check, type Decider, deciderTarget, ORDERS, OracleStore } from 'store-orders-testing/orders';
       export const target = deciderTarget('model', ORDERS.model);
       export const kinds = [typeof check, new OracleStore().list().length];
       export type Mine = Decider<string>;`,
      );
      await run(process.execPath, [resolve(compiler), '-p', project]);
      // The kit itself needs no types of Node.js. By day the fastest compiler alone says so.
      if (!isNightly && !version.includes('7')) return;
      const alone = { ...compilerOptions, lib: ['es2023', 'dom'], types: [] };
      const config = { compilerOptions: alone, files: ['orders.ts'] };
      writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config));
      rmSync(join(project, 'node_modules/@types'), { recursive: true });
      await run(process.execPath, [resolve(compiler), '-p', project]);
    },
  );

  test('has types for the files .mts of a project of CommonJS', async () => {
    const project = await starterWith('@types/node');
    writeFileSync(join(project, 'package.json'), '{}');
    const names = ['library', 'loans', 'suite'];
    for (const name of names) {
      const text = readFileSync(join(project, `${name}.ts`), 'utf8');
      const file = join(project, `${name}.mts`);
      writeFileSync(file, text.replaceAll(/(from '\.\/\w+)\.ts'/g, "$1.mts'"));
    }
    const compilerOptions = {
      ...{ strict: true, noEmit: true, target: 'es2023', types: ['node'], module: 'nodenext' },
      allowImportingTsExtensions: true,
    };
    const files = names.map((name) => `${name}.mts`);
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    await run(process.execPath, [resolve('node_modules/typescript/bin/tsc'), '-p', project]);
    // As the page says, files that are CommonJS have other types of fast-check.
    writeFileSync(
      join(project, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['loans.ts'] }),
    );
    const compiled = run(process.execPath, [
      resolve('node_modules/typescript/bin/tsc'),
      ...['-p', project],
    ]);
    await expect(compiled).rejects.toMatchObject({
      stdout: expect.stringMatching(/TS2322: .*separate declarations of a private property/s),
    });
  });

  test('has a kit of orders as well', async () => {
    const project = await starterWith();
    const program = `
      import { assertHolds, ORDERS } from 'store-orders-testing/orders';
      import { kitFor } from 'store-orders-testing';
      await kitFor(ORDERS).assertDecides(ORDERS.model);
      console.log(typeof assertHolds);`;
    writeFileSync(join(project, 'program.mjs'), program);
    const { stdout } = await run(process.execPath, ['program.mjs'], { cwd: project });
    expect(stdout).toBe('function\n');
  });

  test.skipIf(!existsSync(NODE_20))('works in the Node.js of the system', async () => {
    const project = await starterWith();
    const program = `
      import { ORDERS, check, deciderTarget, runConformance } from 'store-orders-testing/orders';
      import { kitFor } from 'store-orders-testing';
      const kit = kitFor(ORDERS);
      await kit.assertDecides(ORDERS.model);
      const { calls } = await kit.checkConcurrently({
        name: 'model', open: () => ({ perform: () => ({ kind: 'rejected', reason: 'order_exists' }) }),
      });
      const { counterexample } = await check(deciderTarget('model', ORDERS.model), { runs: 50 });
      console.log(calls > 0, counterexample, typeof runConformance);`;
    writeFileSync(join(project, 'program.mjs'), program);
    const { stdout } = await run(NODE_20, ['program.mjs'], { cwd: project });
    expect(stdout).toBe('true undefined function\n');
  });
});

describe('The starter folder', () => {
  test('runs in Vitest', async () => {
    const project = await starterWith('vitest');
    const { stdout } = await run('npm', ['run', 'test:vitest', '--', '--no-color'], {
      cwd: project,
      env: { ...process.env, PATH: `${resolve('node_modules/.bin')}:${process.env.PATH}` },
    });
    expect(stdout).toContain(`${TESTS} passed`);
  });

  test("runs in Node.js's own runner", async () => {
    const project = await starterWith();
    const { stdout } = await run('npm', ['run', 'test:node'], { cwd: project });
    expect(stdout).toContain(`pass ${TESTS}\n`);
    expect(stdout).toContain('fail 0\n');
  });

  test('fails where the program has a fault', async () => {
    const project = await starterWith();
    const file = join(project, 'library.ts');
    const faulty = readFileSync(file, 'utf8').replace("rejected('lent_already')", 'accepted()');
    writeFileSync(file, faulty);
    const failed = run('npm', ['run', 'test:node'], { cwd: project });
    const script = /A: lend to (?:ann|ben|eve) {2}# accepted\n +A: lend to/;
    await expect(failed).rejects.toMatchObject({ stdout: expect.stringMatching(script) });
  });

  test.runIf(isNightly && !isOffline)(
    'is installed from the registry, and runs in Jest',
    { timeout: TIMEOUT_MS },
    async () => {
      const project = newFolder();
      cpSync(join(KIT, 'starter'), project, { recursive: true });
      const own = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
      own.devDependencies['store-orders-testing'] = `file:${tarball}`;
      writeFileSync(join(project, 'package.json'), JSON.stringify(own));
      await run('npm', ['install', '--no-audit', '--no-fund'], { cwd: project, env });
      expect(
        readFileSync(join(project, 'package-lock.json'), 'utf8').match(
          /node_modules\/fast-check"/g,
        ),
      ).toHaveLength(1);
      const { stderr } = await run('npm', ['run', 'test:jest'], { cwd: project });
      expect(stderr).toContain(`Tests:       ${TESTS} passed, ${TESTS} total`);
    },
  );

  test.skipIf(isOffline).each(isNightly ? ['3.23.2', '4.0.0'] : ['3.23.2'])(
    'runs with fast-check %s, an end of the range',
    { timeout: TIMEOUT_MS },
    async (version) => {
      const project = newFolder();
      cpSync(join(KIT, 'starter'), project, { recursive: true });
      writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
      const packages = [`fast-check@${version}`, `store-orders-testing@file:${tarball}`];
      await run('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: project, env });
      const { stdout } = await run(process.execPath, ['--test', 'loans.node.test.ts'], {
        cwd: project,
      });
      expect(stdout).toContain(`pass ${TESTS}\n`);
    },
  );
});
