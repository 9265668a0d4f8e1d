/** What a target or a store has opened, and may have to release. */
interface Closable {
  close?(): void | Promise<void>;
}

/**
 * Does work with something, and closes it. If both fail, the failure of the work is thrown: it is the one
 * that tells what is wrong.
 * @param closes Called before it is closed, unless the work has failed.
 */
export async function closing<Result>(
  opened: Closable,
  work: () => Promise<Result>,
  closes: () => void = () => undefined,
): Promise<Result> {
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    await Promise.allSettled([(async () => opened.close?.())()]);
    throw error;
  }
  closes();
  await opened.close?.();
  return result;
}

/** Waits for all clients before it throws the first failure, so that none keeps running. */
export async function allEnded(clients: readonly Promise<unknown>[]): Promise<void> {
  for (const end of await Promise.allSettled(clients)) {
    if (end.status === 'rejected') throw end.reason;
  }
}
