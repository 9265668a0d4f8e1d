/** Listens on a port, for every server of the service, with the same error messages. */
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { UserError } from '../app/lifecycle/user-error.ts';

/**
 * The connections that the system holds until they are accepted; Linux holds no more than
 * net.core.somaxconn. Node accepts a few in each turn of the event loop. A client beyond the backlog
 * is not refused: its system repeats the handshake after a second, then after longer times.
 */
const BACKLOG_CONNECTIONS = 4_096;

/**
 * Makes a server listen, and resolves with its URL. Port 0 takes a free one. Throws {@link
 * UserError} if that fails.
 */
export async function listen(server: Server, port: number, host: string): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    const failed = (error: Error) => reject(cannotListen(error, host, port));
    server.once('error', failed);
    server.listen(port, host, BACKLOG_CONNECTIONS, () => {
      server.off('error', failed);
      resolve();
    });
  });
  server.on('connection', keepFromThrowing);
  const bound = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${bound.port}`;
}

/**
 * Listens to the errors of a connection. Each closes it, and Node handles those that matter; but it
 * takes its own listener away from a connection that it hands over, as for CONNECT, and an error
 * without a listener ends the process.
 */
function keepFromThrowing(connection: Socket): void {
  connection.on('error', () => undefined);
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const reason = error.code === 'EADDRINUSE' ? 'another program is listening there' : error.message;
  return new UserError(`cannot listen on ${host}, port ${port}: ${reason}`);
}
