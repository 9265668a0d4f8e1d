import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { StoreUnavailable } from '../../../src/app/ports/store.ts';
import { isInstalled } from '../../bench/load.ts';
import { memoryFolder, temporaryFolder } from '../../support/folder.ts';
import { isNightly } from '../../support/nightly.ts';
import { type Change, Disk } from '../../support/power-cut/disk.ts';
import { place } from '../../support/power-cut/life.ts';
import { Recorder } from '../../support/power-cut/recording.ts';
import { Random } from '../../support/random.ts';
import { witnessOn } from '../../support/witness-on.ts';
import { leavesOf, WitnessedLog } from '../../support/witnessed-log.ts';

/** So many that SQLite writes its -wal file back meanwhile, and begins it anew. */
const SIZES = 400;
const CUTS = isNightly ? 60 : 20;
const SEED = Number(process.env.POWER_CUT_SEED ?? 1);

const log = new WitnessedLog(leavesOf(SIZES));
const ORIGIN_HASH = hash('sha256', 'example.com/log');
const CAN_RECORD = process.platform === 'linux' && isInstalled('cc');

/** Returns a reason why a witness must not go on after a power cut, if there is one. */
function faultOf(file: string, answered: number): string | undefined {
  try {
    const witness = witnessOn(file, log, 'used');
    try {
      const size = Number(witness.checkpointOf(ORIGIN_HASH)?.split('\n')[1]);
      if (!(size >= answered)) return `${size} of ${answered}`;
      const { kind } = witness.add(log.request(size, SIZES));
      return kind === 'cosigned' ? undefined : kind;
    } finally {
      witness.close();
    }
  } catch (error) {
    return String(error);
  }
}

/** Cuts the power at some moments of a witness's life, and returns the first fault. */
function firstFault(tampered: (changes: readonly Change[]) => readonly Change[]) {
  const folder = memoryFolder();
  const life = join(folder, 'life', 'witness.db');
  rmSync(dirname(life), { recursive: true, force: true });
  mkdirSync(dirname(life), { recursive: true });
  const recorder = new Recorder(temporaryFolder());
  // The recording lacks the flushes of folders, by which SQLite makes a new file durable.
  recorder.record('cosign-checkpoints', life);
  const disk = new Disk(new Map([['', readFileSync(life)]]));
  const changes = tampered(recorder.record('cosign-checkpoints', life, String(SIZES)));
  const random = new Random(SEED);
  const moments = new Set(Array.from({ length: CUTS }, () => random.below(changes.length)));
  let answered = 0;
  for (const [done, change] of changes.entries()) {
    if (moments.has(done) && answered > 0) {
      const file = join(folder, 'state', 'witness.db');
      place(file, disk.afterPowerCut(random));
      const fault = faultOf(file, answered);
      if (fault !== undefined) return `after ${done} changes: ${fault}`;
    }
    if (change.name === '-answers') {
      if (change.what === 'write') answered += 1;
    } else disk.do(change);
  }
  expect(answered).toBe(SIZES);
  return undefined;
}

describe.skipIf(!CAN_RECORD)('After a power cut at any moment (Linux with a C compiler)', () => {
  it('a witness has every checkpoint that it has answered, and goes on', () => {
    expect(firstFault((changes) => changes)).toBeUndefined();
  });

  it('one that did not flush its commits would be found out', () => {
    const isCommit = ({ what, name }: Change) => what === 'flush' && name === '-wal';
    expect(firstFault((changes) => changes.filter((each) => !isCommit(each)))).toMatch(/./);
  });
});

it('a witness cosigns nothing while its file is moved away', async () => {
  const file = join(temporaryFolder(), 'witness.db');
  const witness = witnessOn(file, log, 'new');
  onTestFinished(() => witness.close());
  expect(witness.add(log.request(0, 3)).kind).toBe('cosigned');
  renameSync(file, `${file}-away`);
  // Longer than the interval between two looks.
  await setTimeout(150);
  expect(() => witness.add(log.request(3, 5))).toThrow(StoreUnavailable);
  expect(() => witness.add(log.request(3, 5))).toThrow(`${file} was moved, removed or replaced`);
  renameSync(`${file}-away`, file);
  expect(witness.add(log.request(3, 5)).kind).toBe('cosigned');
});
