import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Makes the names of a folder's files durable: those that were added, renamed and deleted. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
