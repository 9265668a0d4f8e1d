/**
 * The fast path for reading stored events; `undefined` if its folder `fast` has been deleted.
 * Without it the schema reads every event, with the same result, and folding a log takes about ten
 * times as long.
 */
export const fast = await import('./fast/fast-path.ts').catch((error: NodeJS.ErrnoException) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  return undefined;
});
