import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { mulberry32 } from '../../support/random.ts';
import { start } from '../../support/service.ts';

const ORDERS = Number(process.env.IMPORT_ORDERS ?? 3_000_000);
const MAX_KIB = 300 * 1_024;
const SAMPLE_MS = 100;

/** Yields the lines of a file whose ids are in no order, many at a time. */
function* csvLines() {
  yield 'id,petId,quantity,shipDate,status\n';
  const draw = mulberry32(1);
  const statuses = ['pending', 'cancelled', 'pending', 'shipped'];
  for (let first = 0; first < ORDERS; first += 1_000) {
    const lines = Array.from({ length: 1_000 }, (_, index) => {
      const id = BigInt.asIntN(64, (BigInt(draw()) << 32n) | BigInt(draw()));
      return `${id},${index},1,2026-01-31T12:00:00Z,${statuses[index % 4]}\n`;
    });
    yield lines.join('');
  }
}

/** Runs an import, and returns the most memory that it had, in KiB. */
async function peakOf(file: string, folder: string): Promise<number> {
  await using program = start(['import', file], folder);
  let peak = 0;
  const sample = () => {
    const { pid, exitCode } = program.child;
    if (exitCode !== null) return;
    const [, kib] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    peak = Math.max(peak, Number(kib ?? 0));
  };
  const timer = setInterval(sample, SAMPLE_MS);
  const code = await program.ended().finally(() => clearInterval(timer));
  expect(code, program.stderr).toBe(0);
  expect(program.stdout).toContain(`${ORDERS} orders read: `);
  return peak;
}

test.runIf(process.platform === 'linux')(
  'an import takes no more memory for more orders, new or known',
  async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'orders.csv');
    await once(Readable.from(csvLines()).pipe(createWriteStream(file)), 'finish');
    expect(await peakOf(file, folder)).toBeLessThan(MAX_KIB);
    expect(await peakOf(file, folder)).toBeLessThan(MAX_KIB);
  },
  3_600_000,
);
