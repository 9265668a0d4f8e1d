import { MemoryEventLog } from '../../../src/infra/memory/memory-event-log.ts';
import { trailContract } from '../../contract/trail.ts';

trailContract('memory', async () => {
  const log = new MemoryEventLog();
  return { log, trail: log.trail };
});
