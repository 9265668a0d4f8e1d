import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSqliteForCommandLine } from '../../../src/infra/sqlite/sqlite-store.ts';
import {
  Frame,
  frameBytes,
  HEADER_BYTES,
  parseHeader,
} from '../../../src/infra/sqlite/wal-format.ts';
import { memoryFolder, temporaryFolder } from '../../support/folder.ts';
import type { Change } from '../../support/power-cut/disk.ts';
import { type CutState, hardLife, place } from '../../support/power-cut/life.ts';
import { Recorder } from '../../support/power-cut/recording.ts';
import { Random } from '../../support/random.ts';

/** How many states are looked at: some with every run of the tests, and more where asked for. */
const STATES = Number(process.env.POWER_CUT_STATES ?? 240);
const SEED = Number(process.env.POWER_CUT_SEED ?? 1);
/** How many power cuts a program meets. */
const CUTS = 30;

/** States that a power cut may leave. */
function* states(tampered?: (changes: readonly Change[]) => readonly Change[]) {
  const file = join(memoryFolder(), 'life', 'store.db');
  const extent = { lives: Math.ceil(STATES / CUTS), cuts: CUTS };
  yield* hardLife(new Recorder(temporaryFolder()), file, new Random(SEED), extent, tampered);
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

/** Whether somebody finds something wrong after power cuts, if this is what is recorded. */
async function isFound(tampered: (changes: readonly Change[]) => readonly Change[]) {
  const file = join(memoryFolder(), 'state', 'store.db');
  try {
    for (const state of states(tampered)) {
      if ((await startOn(file, state)) !== undefined) return true;
    }
    return false;
  } catch {
    // The next program in the store's life was refused.
    return true;
  }
}

describe.skipIf(process.platform !== 'linux')('after a power cut at any moment (Linux)', () => {
  it('a store opens without an alarm, with every event that was acknowledged', async () => {
    const file = join(memoryFolder(), 'state', 'store.db');
    const wrong: string[] = [];
    let [looked, naive] = [0, 0];
    for (const state of states()) {
      looked += 1;
      const reason = await startOn(file, state);
      if (reason !== undefined) wrong.push(`state ${looked}: ${reason}`);
      place(file, state.files);
      if (naiveAlarm(`${file}-wal`)) naive += 1;
    }
    console.log(`${looked} states after power cuts; a naive guard would refuse ${naive} of them`);
    expect(wrong).toStrictEqual([]);
    expect(looked).toBeGreaterThanOrEqual(STATES);
    // So these states tell the guard from one that cries wolf.
    expect(naive).toBeGreaterThan(0);
  }, 3_600_000);

  it('a store that did not flush its commits would be found out', async () => {
    const isCommit = ({ what, name }: Change) => what === 'flush' && name === '-wal';
    expect(await isFound((changes) => changes.filter((change) => !isCommit(change)))).toBe(true);
  });

  it('a start that did not flush what it has taken over would be found out', async () => {
    const withoutFirstFlush = (changes: readonly Change[]) => {
      const wal = changes.filter(({ name }) => name === '-wal');
      const first = wal[0]?.what === 'flush' ? wal[0] : undefined;
      return changes.filter((change) => change !== first);
    };
    expect(await isFound(withoutFirstFlush)).toBe(true);
  });
});
