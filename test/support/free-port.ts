import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Ports that the system gives to no connection, and to nobody who asks for any port: these begin at
 * 32768. One of those could be taken before the caller listens on it.
 */
const [LOWEST, BEYOND] = [20_000, 32_768];

/** Returns a port that was free a moment ago, for callers that need the port in advance. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, BEYOND);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
