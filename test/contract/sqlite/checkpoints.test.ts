import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { Checkpoints } from '../../../src/infra/sqlite/wal/checkpoints.ts';
import { Wal } from '../../../src/infra/sqlite/wal/wal.ts';
import { temporaryFile } from '../../support/folder.ts';

const MiB = 1_048_576;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** The `-wal` file of a real store, which can be made to fail, and to claim to be larger. */
function given() {
  const file = temporaryFile();
  const db = openDatabase(file);
  db.pragma('wal_autocheckpoint = 0');
  db.exec('CREATE TABLE padding (bytes BLOB)');
  const wal = new Wal(file);
  const insert = db.prepare('INSERT INTO padding VALUES (zeroblob(4096 * ?))');
  const fault = { error: undefined as Error | undefined, bytes: 0 };
  const said: string[] = [];
  const counted: unknown[] = [];
  const checkpoints = new Checkpoints(
    {
      state: () => wal.state(),
      checkpoint() {
        if (fault.error !== undefined) throw fault.error;
        return wal.checkpoint();
      },
      bytesOf: (frames) => Math.max(wal.bytesOf(frames), fault.bytes),
    },
    {
      failing: (cause) => void said.push(`failing: ${cause.message}`),
      working: () => void said.push('working'),
      noticed: (message) => void said.push(message),
      tried: (counters) => void counted.push(counters),
    },
  );
  onTestFinished(() => {
    checkpoints.close();
    wal.close();
    db.close();
  });
  return {
    file,
    db,
    wal,
    fault,
    said,
    counted,
    checkpoints,
    commit: (pages: number) => insert.run(pages),
  };
}

describe('A checkpoint', () => {
  it('is made from 1,000 frames on, and the file is begun again', () => {
    const { commit, checkpoints, wal, said, counted } = given();
    commit(900);
    checkpoints.consider();
    expect(counted).toEqual([]);
    commit(100);
    checkpoints.consider();
    expect(said).toEqual(['working']);
    expect(counted).toMatchObject([{ done: 1, incomplete: 0, failed: 0 }]);
    const { frames, checkpointed } = wal.state();
    expect(frames).toBe(checkpointed);
    commit(1);
    expect(wal.state().frames).toBeLessThan(10);
  });

  it('that a reader keeps from the newest frames is incomplete, and made when that has ended', () => {
    const { file, commit, checkpoints, fault, said, counted, wal } = given();
    commit(10);
    const reader = openDatabase(file);
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM padding').get();
    commit(2_000);
    fault.bytes = 64 * MiB;
    checkpoints.consider();
    expect(said).toEqual([
      'working',
      'the -wal file grows because a long-running read blocks the checkpoint',
    ]);
    vi.advanceTimersByTime(1_500);
    expect(said.filter((text) => text !== 'working')).toHaveLength(1);
    fault.bytes = 128 * MiB;
    vi.advanceTimersByTime(1_500);
    expect(said.filter((text) => text !== 'working')).toHaveLength(2);
    reader.close();
    vi.advanceTimersByTime(1_500);
    expect(wal.state().checkpointed).toBe(wal.state().frames);
    expect(counted.at(-1)).toMatchObject({ done: 1, failed: 0 });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that fails is reported once, retried every second, and an impairment after a minute', () => {
    const { commit, checkpoints, fault, said, counted } = given();
    fault.error = new Error('no');
    commit(1_000);
    checkpoints.consider();
    checkpoints.consider();
    expect(said).toEqual(['a checkpoint of the -wal file failed']);
    expect(counted).toMatchObject([{ failed: 1 }]);
    vi.advanceTimersByTime(59_000);
    expect(said).toHaveLength(1);
    expect(counted.length).toBeGreaterThan(50);
    vi.advanceTimersByTime(2_000);
    expect(new Set(said.slice(1))).toEqual(new Set(['failing: no']));
    fault.error = undefined;
    vi.advanceTimersByTime(2_000);
    expect(said.slice(-2)).toEqual(['checkpoints of the -wal file work again', 'working']);
    expect(counted.at(-1)).toMatchObject({ done: 1 });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that fails is an impairment at once if the file has 64 MiB', () => {
    const { commit, checkpoints, fault, said } = given();
    fault.error = new Error('no');
    fault.bytes = 64 * MiB;
    commit(1_000);
    checkpoints.consider();
    expect(said).toEqual(['a checkpoint of the -wal file failed', 'failing: no']);
  });
});

/** A `-wal` file of which the test says what it has, and how the next attempts end. */
function scripted() {
  const file = { frames: 0, checkpointed: 0, bytes: 0 };
  const ends: ('done' | 'busy' | Error)[] = [];
  const seen: unknown[] = [];
  let tries = 0;
  const wal = {
    state: () => ({ ...file }),
    checkpoint() {
      tries += 1;
      const end = ends.shift() ?? 'done';
      if (end instanceof Error) throw end;
      if (end === 'busy') return undefined;
      file.checkpointed = file.frames;
      return { ...file };
    },
    bytesOf: (frames: number) => frames * 4_120,
  };
  const watcher = {
    failing: (cause: Error) => void seen.push(['failing', cause.message]),
    working: () => undefined,
    noticed: (message: string, details: object) => void seen.push([message, details]),
    tried: (counters: { readonly walBytes: number }) => {
      file.bytes = counters.walBytes;
    },
  };
  const checkpoints = new Checkpoints(wal, watcher, () => 5_000 + performance.now());
  onTestFinished(() => checkpoints.close());
  return { file, ends, seen, wal, checkpoints, tries: () => tries };
}

describe('An attempt', () => {
  it('is made when 1,000 frames are in the file alone, whatever else it has', () => {
    const { file, checkpoints, tries } = scripted();
    Object.assign(file, { frames: 1_999, checkpointed: 1_000 });
    checkpoints.consider();
    expect(tries()).toBe(0);
    file.frames += 1;
    checkpoints.consider();
    expect(tries()).toBe(1);
    file.frames += 1_000;
    checkpoints.consider();
    expect(tries()).toBe(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is repeated after a second, and not before, if another connection makes a checkpoint', () => {
    const { file, ends, seen, checkpoints, tries } = scripted();
    ends.push('busy');
    file.frames = 1_000;
    checkpoints.consider();
    vi.advanceTimersByTime(999);
    checkpoints.consider();
    expect(tries()).toBe(1);
    vi.advanceTimersByTime(2);
    expect(tries()).toBe(2);
    expect(seen).toEqual([]);
    vi.advanceTimersByTime(5_000);
    expect(tries()).toBe(2);
  });

  it('is repeated by one timer, also if a batch was the reason for another one', () => {
    const { file, ends, checkpoints, tries } = scripted();
    ends.push('busy', 'busy', 'busy');
    file.frames = 1_000;
    checkpoints.consider();
    vi.advanceTimersByTime(1_000);
    checkpoints.consider();
    expect([tries(), vi.getTimerCount()]).toEqual([2, 1]);
  });

  it('is not repeated after the end', () => {
    const { file, ends, checkpoints, tries } = scripted();
    ends.push('busy');
    file.frames = 1_000;
    checkpoints.consider();
    checkpoints.close();
    vi.advanceTimersByTime(5_000);
    expect(tries()).toBe(1);
  });

  it('that fails is reported with its cause, and fails for a minute from then on', () => {
    const { file, ends, seen, wal, checkpoints } = scripted();
    ends.push(...Array(80).fill(new Error('no')));
    file.frames = 1_000;
    checkpoints.consider();
    const counters = { done: 0, incomplete: 0, failed: 1, walBytes: 1_000 * 4_120 };
    expect(seen).toEqual([['a checkpoint of the -wal file failed', { ...counters, cause: 'no' }]]);
    vi.advanceTimersByTime(59_000);
    expect(seen).toHaveLength(1);
    // The size that was last seen is kept where the file cannot be read.
    wal.state = () => {
      throw new Error('gone');
    };
    vi.advanceTimersByTime(2_000);
    expect(seen.slice(1)).toEqual(seen.slice(1).map(() => ['failing', 'gone']));
    expect(seen.length).toBeGreaterThan(1);
    expect(file.bytes).toBe(counters.walBytes);
  });

  it('is made while they fail, however little is in the file', () => {
    const { file, ends, seen, checkpoints, tries } = scripted();
    ends.push(new Error('no'));
    file.frames = 1_000;
    checkpoints.consider();
    file.frames = 1;
    vi.advanceTimersByTime(1_001);
    expect(tries()).toBe(2);
    expect(seen.at(-1)).toMatchObject(['checkpoints of the -wal file work again', { done: 1 }]);
  });

  it('that succeeds lets the next growth be reported from 64 MiB on again', () => {
    const { file, seen, wal, checkpoints } = scripted();
    const { checkpoint } = wal;
    const grow = () => {
      file.frames += 17_000;
      file.checkpointed = 0;
      wal.checkpoint = () => ({ ...file });
      checkpoints.consider();
      wal.checkpoint = checkpoint;
      vi.advanceTimersByTime(1_001);
      expect(file.checkpointed).toBe(file.frames);
      file.frames = 0;
    };
    grow();
    grow();
    const grown = 'the -wal file grows because a long-running read blocks the checkpoint';
    const report = { failed: 0, walBytes: 17_000 * 4_120 };
    expect(seen).toStrictEqual([
      [grown, { ...report, done: 0, incomplete: 1 }],
      [grown, { ...report, done: 1, incomplete: 2 }],
    ]);
  });
});
