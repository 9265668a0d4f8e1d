import { readdirSync, readFileSync } from 'node:fs';

/** Figures of a process from Linux. On other systems each of these is `undefined`. */

/** Returns the CPU time of a process's main thread, in microseconds. */
export function mainThreadCpu(pid: number): number | undefined {
  return cpuOf(pid, String(pid));
}

/** Returns the CPU time of all threads of a process, in microseconds. */
export function processCpu(pid: number): number | undefined {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.reduce((sum, thread) => sum + (cpuOf(pid, thread) ?? 0), 0);
  } catch {
    return undefined;
  }
}

/** Returns the resident memory of a process, in megabytes. */
export function residentMemory(pid: number): number | undefined {
  return memoryOf(pid, 'VmRSS');
}

/**
 * Returns the part of it that no file stands behind: what cannot be dropped while it is used.
 */
export function anonymousMemory(pid: number): number | undefined {
  return memoryOf(pid, 'RssAnon');
}

function memoryOf(pid: number, name: string): number | undefined {
  const line = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm');
  const kilobytes = line.exec(read(`/proc/${pid}/status`) ?? '')?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1_024;
}

// schedstat has nanoseconds, stat only ticks of 10 ms.
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
