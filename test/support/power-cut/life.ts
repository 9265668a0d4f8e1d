import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Random } from '../random.ts';
import { type Change, Disk, type Files } from './disk.ts';
import type { Recorder } from './recording.ts';

/** The number of events in a store before the first power cut. */
const AT_FIRST = 10;

/** A state that a power cut may leave, and the events acknowledged by then. */
export interface CutState {
  readonly files: Files;
  readonly acknowledged: number;
}

/** The number of successive programs on a store, and of power cuts during each. */
export interface Extent {
  readonly lives: number;
  readonly cuts: number;
}

/**
 * Simulates a store through stops, kills and power cuts: successive programs append batches of many
 * sizes and are stopped, killed during a write, or lose power; each continues with the files that
 * the previous one left. Yields states in which a power cut at any moment may leave the files.
 * @param tampered Transforms each recording before it is used.
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
 * Yields states that a power cut may leave while a program commits, if the previous program was
 * killed between writing a commit and flushing it.
 * @param tampered Transforms the recording of the second program before it is used.
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

/** Creates a closed store with some events. */
function beginning(recorder: Recorder, file: string): Disk {
  recorder.record('append-batches', file, 'close', '40', String(AT_FIRST));
  const closed = ['', '-head'].map((name) => [name, readFileSync(`${file}${name}`)] as const);
  return new Disk(new Map(closed));
}

function upToLastFlush(changes: readonly Change[]): readonly Change[] {
  const flush = changes.findLastIndex(({ what, name }) => what === 'flush' && name === '-wal');
  return changes.slice(0, flush);
}

/** Replaces the store's files, as a machine finds them after a power cut. */
export function place(file: string, files: Files): void {
  rmSync(dirname(file), { recursive: true, force: true });
  mkdirSync(dirname(file), { recursive: true });
  for (const [name, bytes] of files) writeFileSync(`${file}${name}`, bytes);
}

/**
 * Draws batches of one event, and some so large that the next one does not overwrite all of them.
 */
function workload(random: Random): readonly string[] {
  const sizes = [1, 1, 2, 3, 20, 60, 150, 400, 0];
  const batches = Array.from({ length: 1 + random.below(8) }, () => random.oneOf(sizes));
  const ending = random.oneOf(['close', 'kill', 'kill']);
  return [ending, String(random.oneOf([8, 40, 120, 1_000])), ...batches.map(String)];
}

// The head is written after a commit is on the disk, and just before it is acknowledged.
function acknowledgedBy(change: Change): number | undefined {
  if (change.what !== 'write' || change.name !== '-head') return undefined;
  return Number(change.bytes.toString('latin1').split(' ')[3]);
}

function ascending(one: number, other: number): number {
  return one - other;
}
