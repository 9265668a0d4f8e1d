import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLOCKS } from './app/clock.ts';
import { fillDemo } from './cli/shared/demo-orders.ts';
import { engineOf } from './engines.ts';
import type { Config } from './infra/settings/config.ts';
import { serve } from './service.ts';

/** Runs the service in a temporary folder, with a year of orders. */
export async function demo(config: Config): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'store-orders-demo-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const database = { engine: 'sqlite', file: join(folder, 'demo.db') } as const;
  // With a name and a key of its own, so that its signatures cannot pass for those of the real log.
  const own = { signingKeyFile: undefined, logOrigin: undefined, witnessing: undefined };
  const settings = { ...config, database, ...own };
  const store = await (await engineOf(database, settings)).openForCommandLine(() => {});
  const key = await fillDemo(store, CLOCKS.wall()).finally(() => store.close());
  await serve(settings, key);
}
