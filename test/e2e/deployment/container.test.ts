import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { validate } from 'dockerfile-utils';
import { expect, test } from 'vitest';
import { mintKeyText } from '../../../src/app/keys/api-key.ts';
import { ask } from '../../support/http.ts';
import { isNightly } from '../../support/nightly.ts';
import { addressOf, bearer, newFolder, Program } from '../../support/service.ts';
import { buildImage } from './image.ts';

const FILE = resolve('Dockerfile');

test('The Dockerfile is well-formed', () => {
  expect(validate(readFileSync(FILE, 'utf8'))).toStrictEqual([]);
});

test('The Dockerfile copies nothing that .dockerignore excludes', () => {
  const copied = [...readFileSync(FILE, 'utf8').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
    ([, paths = '']) => paths.split(' '),
  );
  const kept = readFileSync('.dockerignore', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1).replace(/\*.*/, ''));
  expect(copied.length).toBeGreaterThan(5);
  for (const path of copied) {
    expect(existsSync(path), path).toBe(true);
    expect(
      kept.some((start) => path.startsWith(start)),
      path,
    ).toBe(true);
  }
});

test.runIf(isNightly)(
  'The image of the Dockerfile starts, is healthy, and stops on SIGTERM',
  async () => {
    // The packages of this project, because fetching them again would test nothing.
    const image = buildImage(FILE, {
      'npm ci --ignore-scripts': `cp -al ${resolve('node_modules')} node_modules`,
    });
    expect(existsSync(join(image.workdir, 'node_modules/typescript'))).toBe(false);
    expect(existsSync(join(image.workdir, 'node_modules/vitest'))).toBe(false);
    // The folder in which the service is started is read-only, and ./data is on the volume.
    expect(readlinkSync(join(image.workdir, 'data'))).toBe('/data');
    const [node = '', ...options] = [...image.entrypoint, ...image.command];
    expect(node).toBe('node');
    const key = mintKeyText();
    const env = {
      ...image.env,
      // The test's own port and folder.
      HOST: '127.0.0.1',
      PORT: '0',
      DATABASE_URL: `sqlite:${newFolder()}/orders.db`,
      INITIAL_API_KEY: key,
    };
    await using service = new Program(process.execPath, options, image.workdir, env);
    const address = await addressOf(service);
    const listed = await ask(address, 'GET', '/v1/store/orders', { headers: bearer(key) });
    expect([listed.status, listed.text]).toStrictEqual([200, '[]']);
    expect((await ask(address, 'GET', '/changelog')).status).toBe(200);
    expect((await ask(address, 'GET', '/docs')).status).toBe(200);

    const [, ...check] = image.healthCheck;
    const health = (port: string) => {
      return spawnSync(process.execPath, check, { env: { PORT: port } }).status;
    };
    expect(health(new URL(address).port)).toBe(0);
    service.child.kill('SIGTERM');
    expect(await service.ended()).toBe(0);
    expect(health(new URL(address).port)).toBe(1);
  },
);

/** Returns the settings of a unit file, by name. */
function settingsOf(unit: string): Map<string, string[]> {
  const settings = new Map<string, string[]>();
  for (const [, name = '', value = ''] of unit.matchAll(/^(\w+)=(.*)$/gm)) {
    settings.set(name, [...(settings.get(name) ?? []), value]);
  }
  return settings;
}

const UNIT = resolve('docs/deployment/store-orders.service');

test('The command of the systemd unit starts, and stops on SIGTERM', async () => {
  const settings = settingsOf(readFileSync(UNIT, 'utf8'));
  const home = settings.get('WorkingDirectory')?.[0] as string;
  const store = settings.get('StateDirectory')?.[0] as string;
  const folder = newFolder();
  const here = (text: string) => {
    return text.replace(home, resolve('.')).replace(`/var/lib/${store}`, folder);
  };
  const env = Object.fromEntries(
    (settings.get('Environment') ?? []).map((line) => here(line).split(/=(.*)/).slice(0, 2)),
  ) as Record<string, string>;
  const [program = '', ...args] = here(settings.get('ExecStart')?.[0] as string).split(' ');
  await using service = new Program(program, args, resolve('.'), { ...env, PORT: '0' });
  await addressOf(service);
  expect(existsSync(join(folder, 'store-orders.db'))).toBe(true);
  service.child.kill('SIGTERM');
  expect(await service.ended()).toBe(0);
});

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

test.skipIf(!hasSystemd)(
  'systemd accepts every setting of the unit, and rates it as confined',
  () => {
    const program = settingsOf(readFileSync(UNIT, 'utf8')).get('ExecStart')?.[0]?.split(' ')[0];
    const { stderr } = spawnSync('systemd-analyze', ['verify', UNIT], { encoding: 'utf8' });
    // The only difference to the unit: nothing is installed in /opt here.
    const complaints = stderr.split('\n').filter((line) => !line.includes(String(program)));
    expect(complaints.join('')).toBe('');
    // Fails above the threshold, in tenths of the highest exposure that systemd knows of, 10.
    execFileSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', UNIT]);
  },
);

/** Returns the names of system calls in a list of them and of systemd's sets. */
function systemCallsIn(names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    if (!name.startsWith('@')) return [name];
    const set = execFileSync('systemd-analyze', ['syscall-filter', name], { encoding: 'utf8' });
    return systemCallsIn([...set.matchAll(/^ +([@\w]+)$/gm)].map(([, member = '']) => member));
  });
}

test.skipIf(!hasSystemd)(
  'The unit allows threads to lower their priority, and no more of such',
  () => {
    const allowed = new Set<string>();
    // The first line says what is allowed; each later one adds to it, or with a tilde takes away.
    for (const line of settingsOf(readFileSync(UNIT, 'utf8')).get('SystemCallFilter') ?? []) {
      for (const call of systemCallsIn(line.replace('~', '').split(' '))) {
        if (line.startsWith('~')) allowed.delete(call);
        else allowed.add(call);
      }
    }
    expect(systemCallsIn(['@resources']).filter((call) => allowed.has(call))).toEqual([
      'setpriority',
    ]);
  },
);
