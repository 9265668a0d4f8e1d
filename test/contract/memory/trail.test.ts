import { MemoryEventLog } from '../../../src/infra/memory/event-log.ts';
import { trailContract } from '../trail.ts';

trailContract('memory', async () => {
  const log = new MemoryEventLog();
  return { log, trail: log.trail, openBeside: async () => log };
});
