import { afterAll, vi } from 'vitest';
import { endAll } from './service.ts';

/** A file's tests leave no programs, folders or variables behind, though files of a worker share it. */

afterAll(async () => {
  await endAll();
  vi.unstubAllEnvs();
});
