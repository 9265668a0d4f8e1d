import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  Frame,
  frameBytes,
  HEADER_BYTES,
  parseHeader,
} from '../../../src/infra/sqlite/wal/format.ts';
import { isInstalled } from '../../bench/load.ts';
import { memoryFolder, temporaryFolder } from '../../support/folder.ts';
import { isNightly } from '../../support/nightly.ts';
import type { Change } from '../../support/power-cut/disk.ts';
import { type CutState, cutAfterKill, hardLife, place } from '../../support/power-cut/life.ts';
import { Recorder } from '../../support/power-cut/recording.ts';
import { startOn } from '../../support/power-cut/start.ts';
import { Random } from '../../support/random.ts';

/** The number of states that are examined; more on request than in every run of the tests. */
const STATES = Number(process.env.POWER_CUT_STATES ?? (isNightly ? 180 : 60));
const SEED = Number(process.env.POWER_CUT_SEED ?? 1);
/** The number of power cuts that a program meets. */
const CUTS = 30;
const CUTS_AFTER_KILL = isNightly ? 60 : 20;

type Tampered = (changes: readonly Change[]) => readonly Change[];

/** States that a power cut may leave. */
function* states(tampered?: Tampered) {
  const extent = { lives: Math.ceil(STATES / CUTS), cuts: CUTS };
  yield* hardLife(new Recorder(temporaryFolder()), lifeFile(), new Random(SEED), extent, tampered);
}

function statesAfterKill(tampered?: Tampered) {
  const recorder = new Recorder(temporaryFolder());
  return cutAfterKill(recorder, lifeFile(), new Random(SEED), CUTS_AFTER_KILL, tampered);
}

function lifeFile(): string {
  return join(memoryFolder(), 'life', 'store.db');
}

/** The rule that suggests itself: any commit of the file's present salts behind what is not whole. */
function naiveAlarm(wal: string): boolean {
  const bytes = existsSync(wal) ? readFileSync(wal) : Buffer.alloc(0);
  const header = bytes.length < HEADER_BYTES ? undefined : parseHeader(bytes);
  if (header === undefined) return false;
  let end: readonly [number, number] | undefined = header.checksum;
  const size = frameBytes(header);
  for (let n = 1; HEADER_BYTES + n * size <= bytes.length; n++) {
    const at = HEADER_BYTES + (n - 1) * size;
    const frame = new Frame(n, bytes.subarray(at, at + size), header);
    const belongs = frame.salts === header.salts;
    if (end !== undefined && belongs && frame.follows(end)) end = frame.checksum;
    else end = undefined;
    if (end === undefined && belongs && frame.commits) return true;
  }
  return false;
}

/** A search ends after this many faults: whoever reads them begins with the first. */
const MAX_SHOWN_FAULTS = 3;

/** Returns all that is wrong with the starts on these states. */
async function faults(states: Iterable<CutState>, also: (file: string) => void = () => {}) {
  const file = join(memoryFolder(), 'state', 'store.db');
  const found: string[] = [];
  let looked = 0;
  for (const state of states) {
    looked += 1;
    const reason = await startOn(file, state);
    if (reason !== undefined) found.push(`state ${looked}: ${reason}`);
    place(file, state.files);
    also(file);
    if (found.length >= MAX_SHOWN_FAULTS) break;
  }
  return { found, looked };
}

const CAN_RECORD = process.platform === 'linux' && isInstalled('cc');

describe.skipIf(!CAN_RECORD)('after a power cut at any moment (Linux with a C compiler)', () => {
  it('a store opens without an alarm, with every event that was acknowledged', async () => {
    let naive = 0;
    const { found, looked } = await faults(states(), (file) => {
      if (naiveAlarm(`${file}-wal`)) naive += 1;
    });
    console.log(`${looked} states after power cuts; a naive guard would refuse ${naive} of them`);
    expect(found).toStrictEqual([]);
    expect(looked).toBeGreaterThanOrEqual(STATES);
    // So these states tell the guard from one that cries wolf.
    expect(naive).toBeGreaterThan(0);
  }, 3_600_000);

  it('a store that did not flush its commits would be found out', async () => {
    const isCommit = ({ what, name }: Change) => what === 'flush' && name === '-wal';
    const unflushed = states((changes) => changes.filter((change) => !isCommit(change)));
    // Or the next program in the store's life is refused already.
    const outcome = await faults(unflushed).catch((error) => ({ found: [String(error)] }));
    expect(outcome.found).not.toEqual([]);
  });

  it('what a killed process has not flushed is, before anything is written behind it', async () => {
    expect((await faults(statesAfterKill())).found).toStrictEqual([]);
    const withoutFirstFlush = (changes: readonly Change[]) => {
      const first = changes.find(({ name }) => name === '-wal');
      expect(first?.what).toBe('flush');
      return changes.filter((change) => change !== first);
    };
    const { found } = await faults(statesAfterKill(withoutFirstFlush));
    expect(found).not.toEqual([]);
  });
});
