import { MemoryEventLog } from '../../../src/infra/memory/event-log.ts';
import { eventLogContract } from '../event-log.ts';

async function create() {
  const log = new MemoryEventLog();
  return async () => log;
}

eventLogContract('memory', create, {
  outliveItsHandles: 'memory ends with its process, so there is nothing to open again',
});
