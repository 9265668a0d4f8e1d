import { parentPort, workerData } from 'node:worker_threads';
import { CannotStart } from '../../app/cannot-start.ts';
import type { Outcome, Submission } from '../../app/submission.ts';
import { Writer } from '../../app/writer.ts';
import { openDatabase } from './database.ts';
import { lockForServer } from './server-lock.ts';
import { SqliteEventLog } from './sqlite-event-log.ts';

/**
 * The thread that owns the writing connection, so that the event loop of the server never waits
 * for a disk. It answers one batch at a time, in order. Main thread: worker-writer.ts.
 */

/** From the server's thread. */
export type ToWriter =
  | { readonly kind: 'execute'; readonly batch: readonly Submission[] }
  | { readonly kind: 'close' };

/** To the server's thread. */
export type FromWriter =
  /** The file is locked, checked and migrated; others may read it. */
  | { readonly kind: 'opened' }
  /** The log is folded; batches are welcome. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'executed'; readonly outcomes: readonly Outcome[] };

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
  const log = new SqliteEventLog(db);
  send({ kind: 'opened' });
  const writer = await Writer.open(log);
  port?.on('message', async (message: ToWriter) => {
    switch (message.kind) {
      case 'execute':
        send({ kind: 'executed', outcomes: await writer.execute(message.batch) });
        return;
      case 'close':
        await log.close();
        unlock();
        port?.close();
        return;
    }
  });
  send({ kind: 'ready' });
}

function send(message: FromWriter): void {
  port?.postMessage(message);
}
