/** Reads that are spread over the time in which others append. */

/** The most reads; the first ones without a pause, the last ones with a timer. */
const MAX_READS = 16;
const READS_AT_ONCE = 4;
const READS_WITHOUT_TIMER = 10;
const READ_PAUSE_MS = 1;
// As they are before a test replaces them by a clock of its own.
const { setImmediate: afterPolling = setTimeout, setTimeout: afterMs } = globalThis;

/** Reads until appends have ended, and a few times at most; then waits for them, and throws none of their errors. */
export async function readWhile(
  appends: readonly unknown[],
  read: () => Promise<void>,
): Promise<void> {
  let isOver = false;
  const end = Promise.allSettled(appends).then(() => {
    isOver = true;
  });
  for (let reads = 0; reads < MAX_READS && !isOver; reads += 1) {
    await pauseBefore(reads);
    await read();
  }
  await end;
}

async function pauseBefore(reads: number): Promise<void> {
  if (reads < READS_AT_ONCE) return;
  await new Promise<void>((resolve) => {
    if (reads < READS_WITHOUT_TIMER) afterPolling(resolve);
    else afterMs(resolve, READ_PAUSE_MS);
  });
}
