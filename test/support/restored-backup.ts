/** A service whose store is replaced by an earlier copy: the positions after it are given a second time. */
import { copyFileSync, rmSync } from 'node:fs';
import { expect } from 'vitest';
import { type Service, start } from './service.ts';

const copyOf = ({ databaseFile }: Service) => `${databaseFile}-copy`;

/** Copies the store, while the service is stopped. */
export async function backUp(service: Service): Promise<void> {
  await service.program.end();
  copyFileSync(service.databaseFile, copyOf(service));
  await service.start();
}

/** Restores the copy and accepts the loss. The service then answers at the same address. */
export async function restore(service: Service): Promise<void> {
  const { port } = new URL(service.address);
  const { databaseFile, folder } = service;
  await service.program.end();
  for (const more of ['-wal', '-shm']) rmSync(`${databaseFile}${more}`, { force: true });
  copyFileSync(copyOf(service), databaseFile);
  await using accepted = start(['accept-loss'], folder, { DATABASE_URL: `sqlite:${databaseFile}` });
  expect(await accepted.ended(), accepted.stderr).toBe(0);
  await service.start({ PORT: port });
}
