/** Sends Error objects: the one place that writes any answer of 400 and above. */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Response } from 'express';
import type { ApiError } from '../api-error.ts';
import { JSON_UTF_8 } from './negotiation.ts';

/** Headers by which a handler may have described a success that then failed. */
const HEADERS_OF_SUCCESS = ['Content-Encoding', 'ETag', 'Location'];

/**
 * Sends an Error object as an answer that has not begun yet. Nothing of Express is needed, so that a
 * request can be refused before it comes there.
 */
export function sendError(res: Response, error: ApiError): void {
  res.req.context.refusal = error.code;
  if (error.status === 503) res.setHeader('Retry-After', retryAfter());
  res.statusCode = error.status;
  for (const name of HEADERS_OF_SUCCESS) res.removeHeader(name);
  const body = error.toBody();
  for (const [name, value] of Object.entries(headersOf(body))) res.setHeader(name, value);
  res.end(body);
}

/** The longest time after which a refused client is invited to try again, in seconds. */
const MAX_RETRY_S = 4;

/** Returns a whole number of seconds, at random: clients that were refused together return one by one. */
function retryAfter(): string {
  return String(1 + Math.floor(Math.random() * MAX_RETRY_S));
}

/** Sends an Error object on a connection on which no request could be read, and closes it. */
export function refuseConnection(socket: Socket, error: ApiError): void {
  const { status } = error;
  const body = error.toBody();
  const headers = {
    Date: new Date().toUTCString(),
    Connection: 'close',
    ...headersOf(body),
    'X-Content-Type-Options': 'nosniff',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}

/** Returns the headers that every Error has with its body. No cache may answer with one later. */
function headersOf(body: string): Readonly<Record<string, string>> {
  return {
    'Cache-Control': 'no-store',
    'Content-Type': JSON_UTF_8,
    'Content-Length': String(Buffer.byteLength(body)),
  };
}
