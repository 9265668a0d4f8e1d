import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { startThread } from '../../../src/infra/process/start-thread.ts';

/**
 * Ends threads while they start, several at a time, as a start does that is refused; or at once, as
 * Node.js ends them.
 */
const [, , threads, ending] = process.argv;
const AT_A_TIME = 4;
/** The threads of one round. */
const PER_ROUND = 20;

const started = () => startThread('sqlite/check-thread', {});
const atATime = <Made>(make: () => Promise<Made>) => {
  return Promise.all(Array.from({ length: AT_A_TIME }, make));
};

/** Resolves with the time that a thread takes to start, in milliseconds, as busy as the machine is now. */
async function startMs(): Promise<number> {
  const begun = performance.now();
  await atATime(() => started().terminate());
  return performance.now() - begun;
}

async function startAndEnd(longestMs: number): Promise<void> {
  const thread = started();
  await setTimeout(Math.random() * longestMs);
  await (ending === 'at once' ? Worker.prototype.terminate.call(thread) : thread.terminate());
}

for (let left = Number(threads); left > 0; left -= PER_ROUND) {
  const longestMs = await startMs();
  for (let done = 0; done < PER_ROUND; done += AT_A_TIME) {
    await atATime(() => startAndEnd(longestMs));
  }
}
process.stdout.write('all have ended\n');
