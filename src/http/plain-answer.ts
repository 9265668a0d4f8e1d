import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ApiError, errorHeaders } from './api-error.ts';

/** Answers on a connection on which no request could be read, and closes it. */
export function answerPlainly(socket: Socket, error: ApiError): void {
  const { status } = error;
  const body = error.toBody();
  const headers = {
    Date: new Date().toUTCString(),
    Connection: 'close',
    ...errorHeaders(body),
    'X-Content-Type-Options': 'nosniff',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}
