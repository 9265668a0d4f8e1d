import { chownSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Service, start } from '../support/service.ts';

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn('SKIPPED: files made by root, because these tests are not run by root');

/** The user nobody, of no file. */
const SERVICE_USER = 65_534;

function ownersIn(folder: string): Record<string, number> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, statSync(join(folder, name)).uid]),
  );
}

it.skipIf(!isRoot)(
  'Files that root makes beside a store belong to the owner of the store',
  async () => {
    await using service = await Service.start();
    await service.send('POST', '/v1/store/orders', { petId: 7, quantity: 1 });
    await service.program.end();
    const data = join(service.folder, 'data');
    // The store alone, as after a restore without the files beside it.
    for (const name of readdirSync(data)) if (name !== 'store-orders.db') rmSync(join(data, name));
    chownSync(join(data, 'store-orders.db'), SERVICE_USER, SERVICE_USER);
    for (const args of [['accept-loss'], ['audit', 'new-key'], ['keys', 'create', '--name', 'x']]) {
      await using program = start(args, service.folder);
      expect(await program.ended(), program.stderr).toBe(0);
      expect(new Set(Object.values(ownersIn(data)))).toEqual(new Set([SERVICE_USER]));
    }
    await service.start();
    await service.send('POST', '/v1/store/orders', { petId: 7, quantity: 1 });
    expect((await service.ask('DELETE', '/v1/store/orders/404')).status).toBe(404);
    await service.program.end();
    const owners = ownersIn(data);
    for (const end of ['', '-head', '-server', '-signing-key', '-refusals']) {
      expect(owners).toHaveProperty([`store-orders.db${end}`], SERVICE_USER);
    }
    expect(new Set(Object.values(owners))).toEqual(new Set([SERVICE_USER]));
  },
);
