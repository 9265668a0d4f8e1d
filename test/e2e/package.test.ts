import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { newFolder } from '../support/service.ts';

/** The package as users install it: packed, in a project of their own. */

const run = promisify(execFile);
const project = newFolder();

/** A user's test of a faulty state machine, in which a shipped order can be cancelled. */
const USERS_TEST = `
import { check, deciderTarget, type Decider, programs, OracleStore } from 'store-orders/testing';
import fc from 'fast-check';

type State = 'none' | 'pending' | 'shipped' | 'cancelled';

const mine: Decider<State> = {
  initial: 'none',
  decide(command, state) {
    switch (command.type) {
      case 'PlaceOrder':
        return state === 'none'
          ? { kind: 'accepted', events: [{ ...command, type: 'OrderPlaced' }] }
          : { kind: 'rejected', reason: 'order_exists' };
      case 'ShipOrder':
        return state === 'pending'
          ? { kind: 'accepted', events: [{ ...command, type: 'OrderShipped' }] }
          : { kind: 'rejected', reason: 'order_not_found' };
      case 'CancelOrder':
        return state === 'none'
          ? { kind: 'rejected', reason: 'order_not_found' }
          : { kind: 'accepted', events: [{ ...command, type: 'OrderCancelled' }] };
    }
  },
  evolve: (_state, { type }) =>
    type === 'OrderPlaced' ? 'pending' : type === 'OrderShipped' ? 'shipped' : 'cancelled',
};

const does = ['place', 'cancel'] as const;
const { counterexample } = await check(deciderTarget('mine', mine), { seed: 1, does });
console.log(counterexample?.programs[0]?.steps.map((step) => step.do).join(' '));

fc.assert(fc.property(programs(), ({ steps }) => steps.length > 0));
console.log(new OracleStore().submit({ type: 'CancelOrder', orderId: 1n }).kind);
`;

beforeAll(async () => {
  const packing = ['pack', '--ignore-scripts', '--json', '--pack-destination', project];
  await run('npm', packing);
  const { name, version, dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const installed = join(project, 'node_modules', name);
  mkdirSync(installed, { recursive: true });
  const tarball = join(project, `${name}-${version}.tgz`);
  await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  // The dependencies that npm would install, linked from this project.
  for (const dependency of [...Object.keys(dependencies), '@types/node']) {
    const link = join(project, 'node_modules', dependency);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(resolve('node_modules', dependency), link);
  }
  writeFileSync(join(project, 'package.json'), '{"type": "module"}');
  writeFileSync(join(project, 'mine.test.ts'), USERS_TEST);
});

describe('The package', () => {
  test('is about as large as docs/deployment.md says', () => {
    const page = readFileSync('docs/deployment.md', 'utf8');
    const said = Number(/a tarball of ([\d.]+) MB/.exec(page)?.[1]);
    const megabytes = statSync(join(project, 'store-orders-1.0.0.tgz')).size / 1e6;
    expect(Math.abs(megabytes - said) / said).toBeLessThan(0.15);
  });

  test('exports the kit, which tests a state machine of the user', async () => {
    const { stdout } = await run(process.execPath, ['mine.test.ts'], { cwd: project });
    expect(stdout).toBe('place cancel cancel\nrejected\n');
  });

  test('has types that a strict compiler accepts', async () => {
    const options = ['--strict', '--module', 'nodenext', '--target', 'es2024', '--types', 'node'];
    const more = ['--exactOptionalPropertyTypes', '--noEmit', '--allowImportingTsExtensions'];
    const tsc = resolve('node_modules/.bin/tsc');
    await run(tsc, [...options, ...more, 'mine.test.ts'], { cwd: project });
  });

  test('has the command conformance, which uses the kit', async () => {
    const main = join(project, 'node_modules/store-orders/dist/main.js');
    const asked = run(process.execPath, [
      main,
      'conformance',
      'http://127.0.0.1:1/v1',
      '--key',
      'k',
    ]);
    await expect(asked).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('store-orders: Nothing was checked: there is no answer'),
    });
  });
});
