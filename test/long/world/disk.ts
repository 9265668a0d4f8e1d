import { hash } from 'node:crypto';
import type { World } from './world.ts';

/** A disk that may be slow, full, failing or lying, and loses power. */

/** Thrown if there is no space for a write. Nothing is written. */
export class DiskFull extends Error {
  override readonly name = 'DiskFull';
}

/** Thrown if a flush failed. Whatever was written since the flush before may be on the disk or not. */
export class FlushFailed extends Error {
  override readonly name = 'FlushFailed';
}

/** The times of a flush of a slow disk, of which the longest stalls a queue. */
const SLOW_MS = [10, 40, 200, 1_500];

interface Block {
  text: string;
  isDurable: boolean;
}

/** One append-only file. A record is text with a checksum, which is all that recovery can rely on. */
export class Disk {
  readonly #world: World;
  #blocks: Block[] = [];
  /** Set by faults, and taken back by them. */
  isFull = false;
  isSlow = false;
  /** The number of flushes that are about to fail, and of those about to lie. */
  failing = 0;
  lying = 0;

  constructor(world: World) {
    this.#world = world;
  }

  write(record: string): void {
    if (this.isFull) throw new DiskFull('the disk is full');
    this.#blocks.push({ text: withChecksum(record), isDurable: false });
  }

  /** Resolves when everything written is durable, or when the disk says so. */
  async flush(): Promise<void> {
    const { random, time } = this.#world;
    await time.wait(this.isSlow ? 20 + random.pick(SLOW_MS) : random.below(4));
    if (this.failing > 0) {
      this.failing -= 1;
      this.#world.happened('a flush failed');
      throw new FlushFailed('the flush failed');
    }
    if (this.lying > 0) {
      this.lying -= 1;
      this.#world.happened('a flush lied');
      return;
    }
    for (const block of this.#blocks) block.isDurable = true;
  }

  /**
   * The power fails: writes that are not durable are kept, lost or torn, each by itself. In half of
   * the cases none is torn: recovery would end there, and not see that a later one was kept.
   */
  losePower(): void {
    const { random } = this.#world;
    const fates = random.percent(50) ? 2 : 3;
    this.#blocks = this.#blocks.flatMap((block) => {
      if (block.isDurable) return [block];
      const fate = random.below(fates);
      if (fate === 0) return [];
      if (fate === 1) return [block];
      this.#world.happened('a write was torn');
      return [{ ...block, text: block.text.slice(0, random.below(block.text.length)) }];
    });
  }

  /** A bit of what is durable flips. It shows at the next recovery. */
  flipBit(): void {
    const { random } = this.#world;
    const block = this.#blocks[random.below(this.#blocks.length)];
    if (block === undefined) return;
    this.#world.happened('a bit of the disk flipped');
    const at = random.below(block.text.length);
    const flipped = String.fromCharCode(block.text.charCodeAt(at) ^ 1);
    block.text = block.text.slice(0, at) + flipped + block.text.slice(at + 1);
  }

  /** Returns all records before the first that is torn, cuts off the rest, and makes them durable. */
  recover(): readonly string[] {
    const records: string[] = [];
    for (const { text } of this.#blocks) {
      const record = recordIn(text);
      if (record === undefined) break;
      records.push(record);
    }
    this.#blocks.length = records.length;
    for (const block of this.#blocks) block.isDurable = true;
    return records;
  }
}

function withChecksum(record: string): string {
  return `${hash('sha1', record)} ${record}`;
}

function recordIn(text: string): string | undefined {
  const record = text.slice(41);
  return withChecksum(record) === text ? record : undefined;
}
