import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Express, Response } from 'express';
import helmet, { type HelmetOptions } from 'helmet';
import { requestIdOf } from './request-log.ts';

// An API answers programs: nothing it says is to be framed, sniffed, or run as a page. Headers that
// only steer what browsers do with pages are left out; each costs a little of every answer.
const OPTIONS: HelmetOptions = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  referrerPolicy: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xFrameOptions: false,
  xPermittedCrossDomainPolicies: false,
  xPoweredBy: false,
  xXssProtection: false,
};

/**
 * Gives each answer of an app what all of them have: helmet's headers, and the id of the request. What
 * an answer has set itself under one of helmet's names stays.
 *
 * They are added where an answer's head is written, whatever it was that wrote it. Who knows all of
 * an answer's own headers by then can hand them over as an array, names and values in turn and none of
 * these, instead of setting one after the other: that takes Node half the time, because it need not
 * keep them.
 */
export function addCommonHeaders(app: Express): void {
  const fixed = helmetHeaders();
  const inTurn = fixed.flat();
  const write = ServerResponse.prototype.writeHead as (...given: unknown[]) => Response;
  app.response.writeHead = function (this: Response, ...given: unknown[]) {
    const id = requestIdOf(this);
    const [status, own] = given;
    if (Array.isArray(own))
      return write.call(this, status, [...own, 'X-Request-Id', id, ...inTurn]);
    this.setHeader('X-Request-Id', id);
    for (const [name, value] of fixed) {
      if (!this.hasHeader(name)) this.setHeader(name, value);
    }
    return write.apply(this, given);
  };
}

/**
 * What helmet sets. It puts the same headers together for each answer, with options that never
 * change: so it is asked once.
 */
function helmetHeaders(): readonly (readonly [name: string, value: string])[] {
  const headers: (readonly [string, string])[] = [];
  const first = { setHeader: (name: string, value: string) => void headers.push([name, value]) };
  helmet(OPTIONS)({} as IncomingMessage, first as unknown as ServerResponse, (error) => {
    if (error !== undefined) throw error;
  });
  return headers;
}
