/** Sends Error objects: the one place that writes responses of 400 and above. */
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Response } from 'express';
import type { ApiError } from '../api-error.ts';
import { http } from '../node-http.ts';
import { JSON_UTF_8 } from './negotiation.ts';

/** Headers that a handler may have set for a success before it failed. */
const HEADERS_OF_SUCCESS = ['Content-Encoding', 'ETag', 'Location'];

/**
 * Sends an Error object as a response that has not begun yet. Needs nothing of Express, so that
 * requests can be refused before it.
 */
export function sendError(res: Response, error: ApiError): void {
  res.req.context.refusal = error.code;
  if (error.status === 503) res.setHeader('Retry-After', retryAfter());
  res.statusCode = error.status;
  for (const name of HEADERS_OF_SUCCESS) res.removeHeader(name);
  // An error is the same in all forms and encodings; it may vary with the origin of a page.
  const vary = res.getHeader('Vary');
  if (vary !== undefined) {
    res.removeHeader('Vary');
    if (String(vary).includes('Origin')) res.setHeader('Vary', 'Origin');
  }
  const body = error.toBody();
  for (const [name, value] of Object.entries(headersOf(body))) res.setHeader(name, value);
  res.end(body);
}

/** The longest Retry-After of a refused client, in seconds. */
const MAX_RETRY_S = 4;

/** Returns a random number of seconds, so that clients refused together do not return together. */
function retryAfter(): string {
  return String(1 + Math.floor(Math.random() * MAX_RETRY_S));
}

/**
 * Sends an Error object on a connection whose request could not be read, and closes it. Returns the id
 * of the request.
 */
export function refuseConnection(socket: Socket, error: ApiError): string {
  const { status } = error;
  const requestId = randomUUID();
  const body = error.toBody();
  const headers = {
    Date: new Date().toUTCString(),
    Connection: 'close',
    ...headersOf(body),
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
  return requestId;
}

/** Returns the headers of every Error with a body. No cache may store it. */
function headersOf(body: string): Readonly<Record<string, string>> {
  return {
    'Cache-Control': 'no-store',
    'Content-Type': JSON_UTF_8,
    'Content-Length': String(Buffer.byteLength(body)),
  };
}
