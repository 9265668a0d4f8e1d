import { MemoryEventLog } from '../../../src/infra/memory/memory-event-log.ts';
import { eventLogContract } from '../../contract/event-log.ts';

async function create() {
  const log = new MemoryEventLog();
  return async () => log;
}

eventLogContract('memory', create, {
  outliveItsHandles: 'memory ends with its process, so there is nothing to open again',
});
