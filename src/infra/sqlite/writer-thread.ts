import { parentPort, workerData } from 'node:worker_threads';
import { CannotStart } from '../../app/cannot-start.ts';
import { OrderImage } from '../../app/order-image.ts';
import { Writer } from '../../app/writer.ts';
import { openDatabase } from './database.ts';
import { lockForServer } from './server-lock.ts';
import { openLog } from './sqlite-event-log.ts';
import { type FromWriter, packOutcomes, type ToWriter, unpackBatch } from './writer-messages.ts';

/**
 * The thread that owns the writing connection, so that the event loop of the server never waits
 * for a disk. It answers one batch at a time, in order. Main thread: worker-writer.ts.
 */

const port = parentPort;
if (port === null) throw new Error('writer-thread is a worker thread');

const { file } = workerData as { readonly file: string };

try {
  await serve(file);
} catch (error) {
  if (!(error instanceof CannotStart)) throw error;
  send({ kind: 'refused', message: error.message });
}

async function serve(file: string): Promise<void> {
  const db = openDatabase(file);
  const unlock = lockForServer(file);
  const log = openLog(file, db, ({ message }) => send({ kind: 'damaged', message }));
  send({ kind: 'opened' });
  let writer: Writer | undefined;
  port?.on('message', async (message: ToWriter) => {
    switch (message.kind) {
      case 'begin':
        writer = new Writer(log, new OrderImage(message.image));
        send({ kind: 'ready' });
        return;
      case 'execute': {
        if (writer === undefined) throw new Error('a batch came before the image');
        const outcomes = await writer.execute(unpackBatch(message.batch));
        send({ kind: 'executed', outcomes: packOutcomes(outcomes) });
        return;
      }
      case 'close':
        await log.close();
        unlock();
        port?.close();
        return;
    }
  });
}

function send(message: FromWriter): void {
  port?.postMessage(message);
}
