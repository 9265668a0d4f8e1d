import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { undoAtEnd } from './processes.ts';
import { Skip } from './row.ts';

/**
 * How often a share is given anew, in microseconds: short, so that nobody stands still for long. What was
 * not used in one period may be used in the next, because a slow processor is not lost while one waits.
 */
const PERIOD = 2_000;

/** Where control groups are, and how they are told what they may use. */
interface Groups {
  readonly root: string;
  /** Of the group that this process is in, and its children with it. */
  readonly own: string;
  readonly limits: (quota: number) => readonly (readonly [file: string, value: string])[];
}

/**
 * Does some work while each of these processes has a share of one processor, 0 to 1, as if it ran on a
 * slower machine of its own. Throws {@link Skip} where that cannot be had: it takes Linux and the rights
 * of root.
 */
export async function withShares<Result>(
  pids: readonly number[],
  share: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const given = new DisposableStack();
  const undo = undoAtEnd(() => given.dispose());
  try {
    for (const pid of pids) given.defer(giveShare(pid, share));
    return await work();
  } finally {
    undo();
  }
}

/** Returns what gives it all again. */
function giveShare(pid: number, share: number): () => void {
  try {
    const { root, own, limits } = groups();
    const folder = join(root, `store-orders-bench-${pid}`);
    mkdirSync(folder);
    try {
      for (const [file, value] of limits(Math.round(share * PERIOD))) {
        writeFileSync(join(folder, file), value);
      }
      move(pid, folder);
    } catch (error) {
      rmdirSync(folder);
      throw error;
    }
    return () => {
      // One that has ended is in no group any more.
      if (existsSync(`/proc/${pid}`)) move(pid, own);
      rmdirSync(folder);
    };
  } catch (error) {
    throw new Skip(`no shares of a processor can be given here: ${(error as Error).message}`);
  }
}

function move(pid: number, folder: string): void {
  writeFileSync(join(folder, 'cgroup.procs'), `${pid}`);
}

// Linux has them in one tree, or those for processors in a tree of their own (cgroups(7)).
function groups(): Groups {
  const lines = readFileSync('/proc/self/cgroup', 'utf8').split('\n');
  const parts = lines.map((line) => line.split(':') as [string, string, string]);
  const separate = parts.find(([, controllers]) => controllers?.split(',').includes('cpu'));
  if (separate !== undefined) {
    const root = '/sys/fs/cgroup/cpu';
    const limits = (quota: number) =>
      [
        ['cpu.cfs_period_us', `${PERIOD}`],
        ['cpu.cfs_quota_us', `${quota}`],
        ['cpu.cfs_burst_us', `${quota}`],
      ] as const;
    return { root, own: join(root, separate[2]), limits };
  }
  const root = '/sys/fs/cgroup';
  const path = parts.find(([number]) => number === '0')?.[2] ?? '';
  const limits = (quota: number) =>
    [
      ['cpu.max', `${quota} ${PERIOD}`],
      ['cpu.max.burst', `${quota}`],
    ] as const;
  return { root, own: join(root, path), limits };
}
