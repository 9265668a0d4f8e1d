import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder for the running test, gone when the test is. */
export function temporaryFolder(): string {
  return folderIn(tmpdir());
}

/** The same in memory, where there is a place for that: for thousands of files that need not last. */
export function memoryFolder(): string {
  return folderIn(existsSync('/dev/shm') ? '/dev/shm' : tmpdir());
}

function folderIn(place: string): string {
  const folder = mkdtempSync(join(place, 'store-orders-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The name of a store's file that does not exist yet, in a folder for the running test. */
export function temporaryFile(): string {
  return join(temporaryFolder(), 'store.db');
}
