import type { SignedCheckpoint } from '../app/audit/proving/prover.ts';
import { TileBuilder } from '../app/audit/proving/tile-builder.ts';
import { TILE_HASHES } from '../app/log/merkle-proofs.ts';
import { leafHash } from '../app/log/merkle-tree.ts';
import { recordOf } from '../app/log/recorded-event.ts';
import type { Trail } from '../app/ports/trail.ts';
import type { ExplainedCommand } from './shared/command.ts';
import { type CommandLine, withStore } from './shared/command-line.ts';
import { interruptible } from './shared/interrupt.ts';
import { type Advance, withProgress } from './shared/progress.ts';
import { notOfTheLog, TileFolder } from './shared/tile-folder.ts';

/** The tiles whose events are read at once. */
const CHUNK_TILES = 16;

const EXPLANATION = `
The folder is what tools of transparency logs read (C2SP tlog-tiles), for a web server or a bucket:
copy the file "checkpoint" last. Run it again to add what was recorded since, or after it was
stopped. Files that are there are compared: a folder with any other ones is refused. Entries are the
records themselves; they are readable by the owner only.`;

interface TilesOptions {
  readonly out: string;
  readonly hashesOnly?: boolean;
}

/** Adds `audit tiles`: writes the log's tree as files. */
export function addAuditTiles(audit: ExplainedCommand, commandLine: CommandLine): void {
  audit
    .command('tiles')
    .description('write the tree of the log as files that tools of transparency logs read')
    .requiredOption('--out <folder>', 'the folder: a new one, or that of an earlier run')
    .option('--hashes-only', 'leave out the entries, for a place that anybody can read')
    .explain(EXPLANATION)
    .example('Write or update the tiles', 'audit tiles --out tiles')
    .action((options: TilesOptions) => writeTiles(options, commandLine));
}

async function writeTiles(
  { out, hashesOnly = false }: TilesOptions,
  commandLine: CommandLine,
): Promise<void> {
  const { stderr } = commandLine.terminal;
  await interruptible((signal) =>
    withStore(commandLine, async (store) => {
      const prover = await commandLine.composition.proverOf(store);
      const checkpoint = await prover.checkpoint();
      const folder = new TileFolder(out, hashesOnly, signal);
      await folder.requireOf(prover, checkpoint);
      await withProgress(stderr, 'Writing', checkpoint.size, (advance) =>
        fill(folder, store.trail, checkpoint, advance),
      );
      stderr.write(`Wrote ${out}: ${checkpoint.size} events, ${folder.written} files.\n`);
    }),
  );
}

/** Writes what the folder lacks up to a checkpoint, and at last the checkpoint. */
async function fill(
  folder: TileFolder,
  trail: Trail,
  { size, root, note }: SignedCheckpoint,
  advance: Advance,
): Promise<void> {
  const tiles = new TileBuilder();
  const fullTiles = Math.floor(size / TILE_HASHES);
  while (tiles.size < fullTiles * TILE_HASHES) {
    const leaves = folder.leavesAt(tiles.size / TILE_HASHES);
    for (const leaf of leaves) tiles.add(leaf);
    if (leaves.length === 0) {
      const events = Math.min(CHUNK_TILES, fullTiles - tiles.size / TILE_HASHES) * TILE_HASHES;
      await addEvents(folder, trail, tiles, events);
    }
    await folder.writeAll(tiles.take());
    advance(tiles.size);
  }
  if (tiles.size < size) await addEvents(folder, trail, tiles, size - tiles.size);
  await folder.writeAll(tiles.edge());
  if (!tiles.root().equals(root)) throw notOfTheLog();
  await folder.write('checkpoint', Buffer.from(note));
}

/** Adds the next events, and writes their entry bundles. */
async function addEvents(
  folder: TileFolder,
  trail: Trail,
  tiles: TileBuilder,
  count: number,
): Promise<void> {
  const records = (await trail.stored(tiles.size, count)).map(recordOf);
  for (let at = 0; at < records.length; at += TILE_HASHES) {
    const bundle = records.slice(at, at + TILE_HASHES);
    const index = tiles.size / TILE_HASHES;
    await folder.writeEntries({ level: 'entries', index, width: bundle.length }, bundle);
    for (const record of bundle) tiles.add(leafHash(record));
  }
}
