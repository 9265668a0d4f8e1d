/** Node's HTTP server, loaded without its client side. */

/**
 * The module `node:http`. An import of it evaluates all of its exports, and one of them loads an HTTP client
 * and WebSocket (undici), which the service does not use: 50 ms of a start of 700 ms.
 */
export const http: typeof import('node:http') = process.getBuiltinModule('node:http');
