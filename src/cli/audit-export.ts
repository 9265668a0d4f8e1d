import { createHash } from 'node:crypto';
import { cloudEventOf, noteLine } from '../app/audit/proofs/cloud-event.ts';
import { type Checkpoint, RecordTree, verifyCheckpoint } from '../app/audit/proofs/verifier.ts';
import type { Prover, SignedCheckpoint } from '../app/audit/proving/prover.ts';
import { recordOf } from '../app/log/recorded-event.ts';
import type { CommandLineStore } from '../app/ports/store.ts';
import type { ExplainedCommand } from './shared/command.ts';
import { type CommandLine, withStore } from './shared/command-line.ts';
import { refuted } from './shared/exit-codes.ts';
import { interruptible } from './shared/interrupt.ts';
import { requireNew, writeWhole } from './shared/new-file.ts';
import { print } from './shared/print.ts';
import { type Advance, withProgress } from './shared/progress.ts';

/** The events that are read and written at once. */
const CHUNK_EVENTS = 1_000;

const EXPLANATION = `
The first line has a signed checkpoint. Then each line has an event, as a CloudEvent in JSON:
the exact bytes that were hashed can be made from it. The last line is a seal, a signed digest
of all lines before it. A server may be running: what is recorded meanwhile is left out.`;

/** Adds `audit export`: writes the whole trail, sealed. */
export function addAuditExport(audit: ExplainedCommand, commandLine: CommandLine): void {
  audit
    .command('export')
    .description('write the whole log, with a signed checkpoint, as lines of JSON')
    .option('--out <file>', 'write it to a new file')
    .explain(EXPLANATION)
    .example('Write the log to a file', 'audit export --out log.ndjson')
    .action(({ out }: { readonly out?: string }) => exportTrail(out, commandLine));
}

async function exportTrail(out: string | undefined, commandLine: CommandLine): Promise<void> {
  const { stdout, stderr } = commandLine.terminal;
  if (out !== undefined) requireNew(out);
  await interruptible((signal) =>
    withStore(commandLine, async (store) => {
      const prover = await commandLine.composition.proverOf(store);
      const { note } = await prover.checkpoint();
      const verdict = verifyCheckpoint(note, prover.verifierKey);
      if (!verdict.ok) throw new Error(`the log's own checkpoint: ${verdict.reason}`);
      const checkpoint = verdict.value;
      await withProgress(stderr, 'Exporting', checkpoint.size, (advance) => {
        const text = exportText(store, prover, { ...checkpoint, note }, advance);
        return out === undefined ? print(text, stdout, signal) : writeWhole(out, text, { signal });
      });
      if (out !== undefined) stderr.write(`Wrote ${out}, ${checkpoint.size} events.\n`);
    }),
  );
}

/** Yields the trail up to a checkpoint, and checks at the end that its root is the signed one. */
async function* exportText(
  { id, trail, keys }: CommandLineStore,
  prover: Prover,
  { note, origin, size, root }: Checkpoint & SignedCheckpoint,
  advance: Advance,
): AsyncGenerator<string> {
  const digest = createHash('sha256');
  const written = (lines: string) => {
    digest.update(lines);
    return lines;
  };
  yield written(`${noteLine('Checkpoint', id, size, note)}\n`);
  const names = new Map((await keys.list()).map((key) => [key.id, key.name]));
  const tree = new RecordTree();
  for (let after = 0; after < size; after += CHUNK_EVENTS) {
    const events = await trail.stored(after, Math.min(CHUNK_EVENTS, size - after));
    const traces = await trail.traces(events.map(({ position }) => position));
    const lines = events.map((event) => {
      tree.add(recordOf(event));
      return `${cloudEventOf(event, id, (key) => names.get(key), traces.get(event.position))}\n`;
    });
    yield written(lines.join(''));
    advance(after + events.length);
  }
  if (!Buffer.from(root).equals(tree.head().root)) {
    throw refuted('The events are not those of the tree of the log: store-orders verify');
  }
  const seal = prover.seal({ origin, storeId: id, size, digest: digest.digest() });
  yield `${noteLine('Seal', id, size, seal)}\n`;
}
