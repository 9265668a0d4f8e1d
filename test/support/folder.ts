import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Creates a folder that is removed after the running test. */
export function temporaryFolder(): string {
  return folderIn(tmpdir());
}

/** Creates one in memory if possible: for thousands of files that need no durability. */
export function memoryFolder(): string {
  return folderIn(existsSync('/dev/shm') ? '/dev/shm' : tmpdir());
}

function folderIn(place: string): string {
  const folder = mkdtempSync(join(place, 'store-orders-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns the name of a store's file that does not exist yet, in a folder for the running test. */
export function temporaryFile(): string {
  return join(temporaryFolder(), 'store.db');
}
