import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { partByDay } from '../support/nightly.ts';
import { newFolder, start } from '../support/service.ts';
import { honestStore } from '../support/tampering.ts';

/**
 * Untrusted files for the real program: it must end with its own exit code, quickly, and with no
 * more memory than for a small file.
 */

/** A limit of resident memory far above that for a small file, in kilobytes. */
const MAX_RESIDENT_KB = 400_000;
/** The longest time to read an endless file, in milliseconds. */
const MAX_MS = 30_000;

let folder: string;

async function run(...args: readonly string[]) {
  const file = args.includes('import') ? 'empty.db' : 'store.db';
  const env = { DATABASE_URL: `sqlite:${join(folder, file)}` };
  const program = start(args, folder, env);
  const { pid } = program.child;
  let resident = 0;
  const sampler = setInterval(() => {
    resident = Math.max(resident, residentOf(pid as number));
  }, 20);
  const begun = performance.now();
  const code = await program.ended();
  clearInterval(sampler);
  const took = performance.now() - begun;
  return { code, out: program.stdout, err: program.stderr, resident, took };
}

function residentOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

beforeAll(async () => {
  folder = newFolder();
  await honestStore(join(folder, 'store.db'), 7n, 700);
  writeFileSync(join(folder, 'key'), (await run('audit', 'public-key')).out);
  expect((await run('audit', 'export', '--out', 'trail.ndjson')).code).toBe(0);
});

describe('An endless file is refused quickly, with little memory:', () => {
  it.each([
    ['an export', 3, ['verify', '--export', '/dev/zero', '--key', 'key']],
    ['an import', 3, ['audit', 'import', '/dev/zero', '--unsigned']],
    ['an import of noise', 3, ['audit', 'import', '/dev/urandom', '--unsigned']],
    ['a receipt', 1, ['verify', '--receipt', '/dev/zero', '--key', 'key']],
    ['a checkpoint', 1, ['verify', '--checkpoint', '/dev/zero', '--key', 'key']],
    ['a key', 2, ['verify', '--key', '/dev/zero']],
  ])('%s', async (_, code, args) => {
    const ran = await run(...args);
    expect(ran.code, ran.err).toBe(code);
    expect(ran.resident).toBeLessThan(MAX_RESIDENT_KB);
    expect(ran.took).toBeLessThan(MAX_MS);
  });

  it('an export with an endless second line', async () => {
    const [first = ''] = readFileSync(join(folder, 'trail.ndjson'), 'utf8').split('\n');
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const ran = run('verify', '--export', pipe, '--key', 'key');
    const input = await open(pipe, 'w');
    await input.writeFile(`${first}\n`);
    // Until the reader closes the pipe.
    const more = Buffer.alloc(1 << 16, 'a');
    const written = (async () => {
      for (let count = 0; count < 100_000; count += 1) await input.write(more);
    })();
    await expect(written).rejects.toThrow('EPIPE');
    await input.close();
    const { code, out, resident } = await ran;
    expect([code, out]).toEqual([3, expect.stringContaining('a line is too long to be an event')]);
    expect(resident).toBeLessThan(MAX_RESIDENT_KB);
  });
});

it('A file with a line of a gigabyte is refused with little memory', async () => {
  const file = join(folder, 'huge.ndjson');
  // A sparse file takes no space on the disk, and reads as zeros.
  const handle = await open(file, 'w');
  await handle.truncate(2 ** 30);
  await handle.close();
  for (const args of [
    ['verify', '--export', file, '--key', 'key'],
    ['verify', '--receipt', file, '--key', 'key'],
  ]) {
    const ran = await run(...args);
    expect([1, 3]).toContain(ran.code);
    expect(ran.resident).toBeLessThan(MAX_RESIDENT_KB);
  }
});

it('A file with deeply nested JSON is refused', async () => {
  const text = readFileSync(join(folder, 'trail.ndjson'), 'utf8');
  const [first = ''] = text.split('\n');
  const deep = '['.repeat(400_000) + ']'.repeat(400_000);
  const files = [
    `${deep}\n`,
    `${first}\n${deep}\n`,
    `${first}\n{"specversion":"1.0","id":"1","data":${deep}}\n`,
    `${first.replace(/"data":.*/, `"data":${deep}}`)}\n`,
  ];
  const cases = files.flatMap((content) =>
    ['--export', '--receipt'].map((option) => [content, option] as const),
  );
  for (const [content, option] of partByDay(cases, 3)) {
    writeFileSync(join(folder, 'deep'), content);
    const ran = await run('verify', option, 'deep', '--key', 'key');
    expect(ran.code, `${files.indexOf(content)} ${option}: ${ran.err}`).toBe(3);
  }
});
