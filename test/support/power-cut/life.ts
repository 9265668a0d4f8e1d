import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Random } from '../random.ts';
import { type Change, Disk, type Files } from './disk.ts';
import type { Recorder } from './recording.ts';

/** What a power cut may have left, and what had been acknowledged by then. */
export interface CutState {
  readonly files: Files;
  readonly acknowledged: number;
}

/** How many programs one after the other work on a store, and how many power cuts each may meet. */
export interface Extent {
  readonly lives: number;
  readonly cuts: number;
}

/**
 * The life of a store that has a hard time: programs append batches of many sizes and are stopped,
 * killed in the middle of a write, or lose their power; each goes on with what the one before left.
 * Yields states in which a power cut at any moment may leave the store's files.
 * @param tampered What is taken for the recording, in place of it.
 */
export function* hardLife(
  recorder: Recorder,
  file: string,
  random: Random,
  { lives, cuts }: Extent,
  tampered: (changes: readonly Change[]) => readonly Change[] = (changes) => changes,
): Iterable<CutState> {
  recorder.record('append-batches', file, 'close', '40', '10');
  const closed = ['', '-head'].map((name) => [name, readFileSync(`${file}${name}`)] as const);
  let disk = new Disk(new Map(closed));
  let acknowledged = 10;
  for (let life = 0; life < lives; life++) {
    place(file, disk.contents());
    const changes = tampered(recorder.record('append-batches', file, ...workload(random)));
    const ending = random.oneOf(['end', 'kill', 'cut', 'cut'] as const);
    const end = ending === 'end' ? changes.length : random.below(changes.length);
    const moments = Array.from({ length: cuts }, () => random.below(end + 1)).sort(ascending);
    for (let done = 0; done <= end; done++) {
      for (; moments[0] === done; moments.shift()) {
        yield { files: disk.afterPowerCut(random), acknowledged };
      }
      const change = changes[done];
      if (change === undefined || done === end) break;
      disk.do(change);
      acknowledged = acknowledgedBy(change) ?? acknowledged;
    }
    if (ending === 'cut') disk = new Disk(disk.afterPowerCut(random));
  }
}

/** Puts files in the place of whatever is there, as a machine finds them when it starts. */
export function place(file: string, files: Files): void {
  rmSync(dirname(file), { recursive: true, force: true });
  mkdirSync(dirname(file), { recursive: true });
  for (const [name, bytes] of files) writeFileSync(`${file}${name}`, bytes);
}

/** Batches of one event, and some so large that a power cut leaves more of them than the next. */
function workload(random: Random): readonly string[] {
  const sizes = [1, 1, 2, 3, 20, 60, 150, 400, 0];
  const batches = Array.from({ length: 1 + random.below(8) }, () => random.oneOf(sizes));
  const ending = random.oneOf(['close', 'kill', 'kill']);
  return [ending, String(random.oneOf([8, 40, 120, 1_000])), ...batches.map(String)];
}

// The head is written when a commit is on the disk, and just before it is acknowledged.
function acknowledgedBy(change: Change): number | undefined {
  if (change.what !== 'write' || change.name !== '-head') return undefined;
  return Number(change.bytes.toString('latin1').split(' ')[3]);
}

function ascending(one: number, other: number): number {
  return one - other;
}
