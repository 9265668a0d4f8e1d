import { expect, it } from 'vitest';
import { WorkerWriter } from '../../../src/infra/sqlite/worker-writer.ts';
import { temporaryFile } from '../../support/folder.ts';
import { watcher } from '../../support/watcher.ts';

it('rejects everything once its thread has ended, instead of waiting for an answer', async () => {
  const writer = new WorkerWriter(temporaryFile(), watcher());
  expect(await writer.opened()).toBeUndefined();
  await writer.close();
  const ended = new Error('the writer is closed');
  await expect(writer.reopen()).rejects.toThrow(ended);
  await expect(writer.execute([])).rejects.toThrow(ended);
  await writer.close();
});
