import { join } from 'node:path';
import { isInstalled } from './load.ts';
import { newFolder, run, start, stop } from './processes.ts';
import { Skip } from './row.ts';
import { type Product, startProduct } from './servers.ts';
import type { StoreFile } from './stores.ts';

/** The delay of every flush to the disk, in milliseconds. */
export const FSYNC_DELAY_MS = 2;

/**
 * Starts the product on a simulated slow disk, with a library that is preloaded before the C
 * library, or else with strace. Throws {@link Skip} if this machine can do neither.
 */
export async function startOnSlowDisk(
  store: StoreFile,
  delayMs = FSYNC_DELAY_MS,
  root?: string,
): Promise<Product> {
  if (process.platform !== 'linux') throw new Skip('slow disks are simulated on Linux only');
  const slowed = { SLOW_FSYNC_MS: String(delayMs) };
  if (isInstalled('cc'))
    return startProduct(store, { ...slowed, LD_PRELOAD: await compile() }, root);
  if (isInstalled('strace')) return slowDown(await startProduct(store, {}, root), delayMs);
  throw new Skip('neither cc nor strace is installed to simulate a slow disk');
}

async function compile(): Promise<string> {
  const library = join(newFolder(), 'slow-fsync.so');
  const source = join(import.meta.dirname, 'clients', 'slow-fsync.c');
  await run('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'], 60);
  return library;
}

// Attached to the running product, so that it remains a child of this process.
async function slowDown(product: Product, delayMs: number): Promise<Product> {
  const tracer = start(
    'strace',
    [
      ...['--follow-forks', '--attach', String(product.pid), '--output', '/dev/null'],
      ...['--trace', 'fsync,fdatasync'],
      ...['--inject', `fsync,fdatasync:delay_exit=${delayMs * 1_000}`],
    ],
    { stdio: 'ignore' },
  );
  const end = async () => {
    await stop(tracer);
    await product.stop();
  };
  const dispose = async () => {
    await stop(tracer);
    await product[Symbol.asyncDispose]();
  };
  return { ...product, stop: end, [Symbol.asyncDispose]: dispose };
}
