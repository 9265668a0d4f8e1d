import { closeSync, openSync } from 'node:fs';
import { runInShell } from '../../../src/cli/shared/shell-command.ts';

/** Runs a command while no file descriptor is free, and prints how it ended. */
// Loads what the first use needs descriptors for.
await runInShell('exit 0', { timeoutMs: 60_000 });
const taken: number[] = [];
try {
  for (;;) taken.push(openSync('/dev/null', 'r'));
} catch {
  // As many as there may be.
}
const ended = runInShell('exit 0', { timeoutMs: 60_000 });
for (const descriptor of taken) closeSync(descriptor);
process.stdout.write(`${JSON.stringify(await ended)}\n`);
