import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSqliteForCommandLine } from '../../../src/infra/sqlite/sqlite-store.ts';
import {
  Frame,
  frameBytes,
  HEADER_BYTES,
  parseHeader,
} from '../../../src/infra/sqlite/wal-format.ts';
import { damageIn } from '../../../src/infra/sqlite/wal-guard.ts';
import { temporaryFolder } from '../../support/folder.ts';
import type { Change } from '../../support/power-cut/disk.ts';
import { type CutState, hardLife, place } from '../../support/power-cut/life.ts';
import { Recorder } from '../../support/power-cut/recording.ts';
import { Random } from '../../support/random.ts';

/** How many states are looked at: some with every run of the tests, and many where asked to. */
const STATES = Number(process.env.POWER_CUT_STATES ?? 400);
const CUTS = 50;
const SEED = Number(process.env.POWER_CUT_SEED ?? 1);

/** States that a power cut may leave, with the name that the store's file has in them. */
function states(seed: number, tampered?: (changes: readonly Change[]) => readonly Change[]) {
  const file = join(memoryFolder(), 'life', 'store.db');
  const extent = { lives: Math.ceil(STATES / CUTS), cuts: CUTS };
  const recorder = new Recorder(temporaryFolder());
  return hardLife(recorder, file, new Random(seed), extent, tampered);
}

// Nothing here has to last, and every state is written and opened anew.
function memoryFolder(): string {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'power-cut-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What a start makes of a state: a reason why it is not right, if there is one. */
async function startOn(file: string, { files, acknowledged }: CutState) {
  place(file, files);
  try {
    const store = openSqliteForCommandLine(file);
    try {
      let read = 0;
      for await (const events of store.log.read(0)) {
        for (const { position, event } of events) {
          if (event.orderId !== BigInt(position)) return `a wrong event at ${position}`;
          read = position;
        }
      }
      return read < acknowledged ? `${read} events of ${acknowledged}` : undefined;
    } finally {
      await store.close();
    }
  } catch (error) {
    return String(error);
  }
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

describe.skipIf(process.platform !== 'linux')('after a power cut at any moment (Linux)', () => {
  it('a store opens without an alarm, with every event that was acknowledged', async () => {
    const file = join(memoryFolder(), 'state', 'store.db');
    const wrong: string[] = [];
    let [looked, naive] = [0, 0];
    for (const state of states(SEED)) {
      const reason = await startOn(file, state);
      if (reason !== undefined) wrong.push(`state ${looked}: ${reason}`);
      place(file, state.files);
      if (naiveAlarm(`${file}-wal`)) naive += 1;
      if (damageIn(`${file}-wal`) !== undefined) wrong.push(`state ${looked}: an alarm`);
      looked += 1;
    }
    console.log({ looked, naive, wrong: wrong.length });
    expect(wrong).toStrictEqual([]);
    expect(looked).toBeGreaterThanOrEqual(STATES);
    // These states tell a rule that cries wolf from the guard.
    expect(naive).toBeGreaterThan(0);
  }, 3_600_000);
});
