import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Random } from '../random.ts';
import { type Change, Disk, type Files } from './disk.ts';
import type { Recorder } from './recording.ts';

/** How many events a store has before its hard time begins. */
const AT_FIRST = 10;

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
  let disk = beginning(recorder, file);
  let acknowledged = AT_FIRST;
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

/**
 * States that a power cut may leave while a program commits, if the one before it was killed when it
 * had written a commit and not flushed it.
 * @param tampered What is taken for the recording of the second program, in place of it.
 */
export function* cutAfterKill(
  recorder: Recorder,
  file: string,
  random: Random,
  cuts: number,
  tampered: (changes: readonly Change[]) => readonly Change[] = (changes) => changes,
): Iterable<CutState> {
  const disk = beginning(recorder, file);
  const append = ['append-batches', file, 'kill', '1000', '3'] as const;
  for (const change of upToLastFlush(recorder.record(...append))) disk.do(change);
  place(file, disk.contents());
  for (const change of upToLastFlush(tampered(recorder.record(...append)))) disk.do(change);
  for (let cut = 0; cut < cuts; cut++) {
    yield { files: disk.afterPowerCut(random), acknowledged: AT_FIRST };
  }
}

/** A store with some events, closed. */
function beginning(recorder: Recorder, file: string): Disk {
  recorder.record('append-batches', file, 'close', '40', String(AT_FIRST));
  const closed = ['', '-head'].map((name) => [name, readFileSync(`${file}${name}`)] as const);
  return new Disk(new Map(closed));
}

function upToLastFlush(changes: readonly Change[]): readonly Change[] {
  const flush = changes.findLastIndex(({ what, name }) => what === 'flush' && name === '-wal');
  return changes.slice(0, flush);
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
