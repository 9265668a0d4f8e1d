import { existsSync, readdirSync, statSync } from 'node:fs';
import { mkdir, open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Checkpoint, verifyCheckpoint } from '../app/audit/proofs/verifier.ts';
import type { SignedCheckpoint } from '../app/audit/proving/prover.ts';
import { type BuiltTile, TileBuilder } from '../app/audit/proving/tile-builder.ts';
import { UserError } from '../app/lifecycle/user-error.ts';
import { TILE_HASHES } from '../app/log/merkle-proofs.ts';
import { HASH_BYTES, leafHash } from '../app/log/merkle-tree.ts';
import { recordOf } from '../app/log/recorded-event.ts';
import { bundleOf, hashesIn, pathOf, type TilePlace } from '../app/log/tiles.ts';
import type { Trail } from '../app/ports/trail.ts';
import { readBounded, requireSmallFile } from '../infra/process/small-file.ts';
import type { ExplainedCommand } from './shared/command.ts';
import { type CommandLine, withStore } from './shared/command-line.ts';
import { refuted } from './shared/exit-codes.ts';
import { interruptible } from './shared/interrupt.ts';
import { unwritable } from './shared/new-file.ts';
import { type Advance, withProgress } from './shared/progress.ts';

/** The tiles whose events are read at once. */
const CHUNK_TILES = 16;

const EXPLANATION = `
The folder is what tools of transparency logs read (C2SP tlog-tiles), for a web server or a bucket:
copy the file "checkpoint" last. Run it again to add what was recorded since, or after it was
stopped. Entries are the records themselves; they are readable by the owner only.`;

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
      await folder.requireOf(prover.verifierKey, checkpoint.note);
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
    const leaves = await folder.leavesAt(tiles.size / TILE_HASHES);
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
  if (!tiles.root().equals(root)) {
    throw refuted('The tiles are not those of the log: use a new folder, or store-orders verify.');
  }
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

/** The folder of the files. A file is there as a whole or not at all. */
class TileFolder {
  written = 0;
  readonly #folder: string;
  readonly #hashesOnly: boolean;
  readonly #signal: AbortSignal;

  constructor(folder: string, hashesOnly: boolean, signal: AbortSignal) {
    this.#folder = folder;
    this.#hashesOnly = hashesOnly;
    this.#signal = signal;
  }

  /** Throws {@link UserError} for a folder of something else, or of a log that this one does not extend. */
  async requireOf(verifierKey: string, now: string): Promise<void> {
    const folder = this.#folder;
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (stats?.isDirectory() === false) throw new UserError(`${folder} is not a folder.`);
    const names = stats === undefined ? [] : readdirSync(folder);
    const foreign = names.find((name) => !/^(?:checkpoint|tile)(?:\.unfinished)?$/.test(name));
    if (foreign !== undefined) {
      throw new UserError(`${folder} has ${foreign} in it, and is not a folder of tiles.`);
    }
    if (!names.includes('checkpoint')) return;
    const note = requireSmallFile(join(folder, 'checkpoint'));
    const [there, here] = [note, now].map((each) => {
      const verdict = verifyCheckpoint(each, verifierKey);
      if (verdict.ok) return verdict.value;
      throw new UserError(`The checkpoint in ${folder}: ${verdict.reason}.`);
    }) as [Checkpoint, Checkpoint];
    if (there.epoch !== here.epoch) {
      throw new UserError(`The log was cut since ${folder} was written: use a new folder.`);
    }
    if (there.size > here.size) {
      throw new UserError(`${folder} has ${there.size} events, and the log ${here.size}.`);
    }
  }

  /** Returns the leaves of a full tile that an earlier run has written; none if there is none. */
  async leavesAt(index: number): Promise<readonly Buffer[]> {
    const width = TILE_HASHES;
    const isWritten =
      this.#hashesOnly || existsSync(this.#pathOf({ level: 'entries', index, width }));
    if (!isWritten) return [];
    try {
      const path = this.#pathOf({ level: 0, index, width });
      const leaves = hashesIn(readBounded(path, width * HASH_BYTES));
      return leaves?.length === width ? leaves : [];
    } catch {
      return [];
    }
  }

  async writeEntries(place: TilePlace, records: readonly string[]): Promise<void> {
    if (!this.#hashesOnly) await this.#writeNew(place, bundleOf(records), 0o600);
  }

  async writeAll(tiles: readonly BuiltTile[]): Promise<void> {
    for (const { place, bytes } of tiles) await this.#writeNew(place, bytes);
  }

  async #writeNew(place: TilePlace, bytes: Buffer, mode?: number): Promise<void> {
    const path = join('tile', pathOf(place));
    if (!existsSync(join(this.#folder, path))) await this.write(path, bytes, mode);
  }

  /** Writes a file, and returns when its bytes are on the disk. After a power cut, its name can be missing. */
  async write(path: string, bytes: Buffer, mode = 0o644): Promise<void> {
    this.#signal.throwIfAborted();
    const file = join(this.#folder, path);
    try {
      await mkdir(dirname(file), { recursive: true });
      const handle = await open(`${file}.unfinished`, 'w', mode);
      try {
        await handle.writeFile(bytes);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(`${file}.unfinished`, file);
    } catch (error) {
      throw unwritable(file, error);
    }
    this.written += 1;
  }

  #pathOf(place: TilePlace): string {
    return join(this.#folder, 'tile', pathOf(place));
  }
}
