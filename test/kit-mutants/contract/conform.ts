import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type ConformanceOptions,
  type Report,
  runConformance,
} from '../../kit/conformance/conformance.ts';
import { type Mutant, mutatedListener } from '../mutated.ts';

/** Runs `conformance` against a server in this process. */
export function conform(
  mutant: Mutant,
  options: Omit<ConformanceOptions, 'baseUrl' | 'key'>,
): Promise<Report> {
  return served(mutant, (given) => {
    return runConformance({ ...given, runs: 40, concurrency: 1, ...options });
  });
}

/** Starts a server in this process for the time of its use. */
export async function served<Result>(
  mutant: Mutant,
  use: (given: { baseUrl: string; key: string; revokedKey: string }) => Promise<Result>,
): Promise<Result> {
  const { listener, key, revokedKey } = await mutatedListener(mutant);
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await use({ baseUrl: `http://127.0.0.1:${port}/v1`, key, revokedKey });
  } finally {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }
}

/** Returns the names of the checks that a server fails. */
export function failedIn({ checks }: Report): readonly string[] {
  return checks.filter(({ result }) => result === 'failed').map(({ name }) => name);
}
