/** Logs as they are published: their checkpoints, tiles and entries, and the files of a monitor. */

import type { NoteSigner } from '../../src/app/audit/proving/checkpoint.ts';
import { TileBuilder } from '../../src/app/audit/proving/tile-builder.ts';
import { leafHash } from '../../src/app/log/merkle-tree.ts';
import { recordOf } from '../../src/app/log/recorded-event.ts';
import { bundleOf, pathOf } from '../../src/app/log/tiles.ts';
import {
  LogAway,
  type MonitorFiles,
  type PublishedFile,
  type PublishedLog,
  type Rows,
} from '../../src/app/ports/published-log.ts';
import type { OrderEvent } from '../../src/domain/order.ts';
import { encode } from '../../src/infra/events/codec.ts';
import { recorded, secondsApart } from './events.ts';

const TILE = 256;

/** Returns the records of events as a log would record them, from position 1. */
export function recordsOf(events: readonly OrderEvent[]): string[] {
  return secondsApart(recorded(...events)).map((event) => recordOf(encode(event)));
}

/** Returns all files of a log by their paths, as the service serves them. */
export function publishedFiles(
  records: readonly string[],
  signer: NoteSigner,
  epoch?: string,
): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  const builder = new TileBuilder();
  for (const record of records) builder.add(leafHash(record));
  for (const { place, bytes } of [...builder.take(), ...builder.edge()]) {
    files.set(`tile/${pathOf(place)}`, bytes);
  }
  for (let index = 0; index * TILE < records.length; index += 1) {
    const bundle = records.slice(index * TILE, (index + 1) * TILE);
    const place = { level: 'entries', index, width: bundle.length } as const;
    files.set(`tile/${pathOf(place)}`, bundleOf(bundle));
  }
  const note = signer.signCheckpoint(records.length, builder.root(), epoch);
  return files.set('checkpoint', Buffer.from(note));
}

/** A published log whose files are in memory. */
export class MemoryLog implements PublishedLog {
  files: Map<string, Buffer>;
  /** The paths that were read. */
  readonly asked: string[] = [];

  constructor(files: Map<string, Buffer>) {
    this.files = files;
  }

  async read(path: string, maxBytes: number): Promise<PublishedFile> {
    this.asked.push(path);
    const bytes = this.files.get(path);
    if (bytes === undefined) return { absent: 'no such file' };
    if (bytes.length > maxBytes) throw new LogAway(`${path} is too long`);
    return { bytes };
  }

  /** Changes one bit of a file. */
  flip(path: string, bit: number): void {
    const bytes = Buffer.from(this.files.get(path) as Buffer);
    const at = (bit >> 3) % bytes.length;
    bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << (bit & 7)), at);
    this.files.set(path, bytes);
  }
}

class MemoryRows implements Rows {
  bytes = Buffer.alloc(0);
  readonly #rowBytes: number;

  constructor(rowBytes: number) {
    this.#rowBytes = rowBytes;
  }

  get count(): number {
    return this.bytes.length / this.#rowBytes;
  }

  read(from: number, count: number): Buffer {
    const rows = this.bytes.subarray(from * this.#rowBytes, (from + count) * this.#rowBytes);
    if (rows.length !== count * this.#rowBytes) throw new RangeError('there are no such rows');
    return Buffer.from(rows);
  }

  write(at: number, rows: Buffer): void {
    if (at > this.count) throw new RangeError('there would be a gap');
    this.bytes = Buffer.concat([this.bytes.subarray(0, at * this.#rowBytes), rows]);
  }
}

/** The files of a monitor in memory. */
export class MemoryFiles implements MonitorFiles {
  readonly leaves = new MemoryRows(32);
  readonly orders = new MemoryRows(9);
  state: string | undefined;
  unproven: string | undefined;
  isDiskFull = false;

  async save(state: string): Promise<void> {
    this.state = state;
  }

  async saveUnproven(checkpoints: string): Promise<void> {
    if (this.isDiskFull) throw new Error('ENOSPC: no space left on device');
    this.unproven = checkpoints;
  }
}
