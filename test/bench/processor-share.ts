import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { undoAtEnd } from './processes.ts';
import { Skip } from './row.ts';

/**
 * The period of a share, in microseconds: short, so that no process is paused for long. The unused
 * part of a period may be used in the next one, like a slow processor that catches up after a wait.
 */
const PERIOD_US = 2_000;

/** The control group hierarchies, and the files that set their limits. */
interface Groups {
  readonly root: string;
  /** The group of this process and its children. */
  readonly own: string;
  readonly limits: (quota: number) => readonly (readonly [file: string, value: string])[];
}

/**
 * Runs some work while each of these processes is limited to a share of one processor, 0 to 1, as
 * if it ran on a slower machine of its own. Throws {@link Skip} without Linux and the rights of
 * root.
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

/** Returns a function that removes the limits. */
function giveShare(pid: number, share: number): () => void {
  try {
    const { root, own, limits } = groups();
    const folder = join(root, `store-orders-bench-${pid}`);
    mkdirSync(folder);
    try {
      for (const [file, value] of limits(Math.round(share * PERIOD_US))) {
        writeFileSync(join(folder, file), value);
      }
      move(pid, folder);
    } catch (error) {
      rmdirSync(folder);
      throw error;
    }
    return () => {
      // An ended process is in no group any more.
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

// Linux has one hierarchy, or a separate one for processors (cgroups(7)).
function groups(): Groups {
  const lines = readFileSync('/proc/self/cgroup', 'utf8').split('\n');
  const parts = lines.map((line) => line.split(':') as [string, string, string]);
  const separate = parts.find(([, controllers]) => controllers?.split(',').includes('cpu'));
  if (separate !== undefined) {
    const root = '/sys/fs/cgroup/cpu';
    const limits = (quota: number) =>
      [
        ['cpu.cfs_period_us', `${PERIOD_US}`],
        ['cpu.cfs_quota_us', `${quota}`],
        ['cpu.cfs_burst_us', `${quota}`],
      ] as const;
    return { root, own: join(root, separate[2]), limits };
  }
  const root = '/sys/fs/cgroup';
  const path = parts.find(([number]) => number === '0')?.[2] ?? '';
  const limits = (quota: number) =>
    [
      ['cpu.max', `${quota} ${PERIOD_US}`],
      ['cpu.max.burst', `${quota}`],
    ] as const;
  return { root, own: join(root, path), limits };
}
