import { openSqliteForCommandLine } from '../../../src/infra/sqlite/store.ts';
import { type CutState, place } from './life.ts';

/** Returns a reason why a start from a state is not right, if there is one. */
export async function startOn(
  file: string,
  { files, acknowledged }: CutState,
): Promise<string | undefined> {
  place(file, files);
  try {
    const store = openSqliteForCommandLine(file);
    try {
      let read = 0;
      for await (const events of store.log.read(0)) {
        for (const { position, event } of events) {
          if (event.orderId !== BigInt(position)) return `a wrong event at ${position}`;
          read = position;
        }
      }
      return read < acknowledged ? `${read} events of ${acknowledged}` : undefined;
    } finally {
      await store.close();
    }
  } catch (error) {
    return String(error);
  }
}
