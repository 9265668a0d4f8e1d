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
