import { readdirSync, readFileSync } from 'node:fs';

/** What Linux tells of a process. Elsewhere each of these is `undefined`. */

/** The CPU time that a process's main thread has used, in microseconds. */
export function mainThreadCpu(pid: number): number | undefined {
  return cpuOf(pid, String(pid));
}

/** The CPU time that all threads of a process have used, in microseconds. */
export function processCpu(pid: number): number | undefined {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.reduce((sum, thread) => sum + (cpuOf(pid, thread) ?? 0), 0);
  } catch {
    return undefined;
  }
}

/** The memory of a process that is resident, in megabytes. */
export function residentMemory(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1_024;
}

// schedstat counts nanoseconds, where stat has only ticks of 10 ms.
function cpuOf(pid: number, thread: string): number | undefined {
  const [nanoseconds] = read(`/proc/${pid}/task/${thread}/schedstat`)?.split(' ') ?? [];
  return nanoseconds === undefined ? undefined : Number(nanoseconds) / 1_000;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
