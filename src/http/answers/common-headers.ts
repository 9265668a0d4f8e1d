import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Express, Response } from 'express';
import helmet, { type HelmetOptions } from 'helmet';
import { CLOCKS } from '../../app/clock.ts';
import { http } from '../node-http.ts';
import { settleUnread } from '../requests/unread-body.ts';

// The clients of an API are programs: no response may be framed, sniffed, or run as a page. Headers
// that only control browsers' handling of pages are left out; each costs a little per response.
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
 * Adds helmet's headers and the request's id to each response of an app. A header that a response
 * has set itself under one of helmet's names is left unchanged.
 *
 * They are added when the head of a response is written, by any handler. A caller that has all of a
 * response's own headers by then can pass them as an array of names and values, without any of
 * these, which takes Node half the time of setting one after the other: see docs/performance.md.
 */
export function addCommonHeaders(app: Express): void {
  const common = helmetHeaders();
  const inTurn = common.flat();
  const write = http.ServerResponse.prototype.writeHead as (...given: unknown[]) => Response;
  app.response.writeHead = function (this: Response, ...given: unknown[]) {
    const [status, own] = given;
    settleUnread(this.req, this, status as number);
    const { context } = this.req;
    const { requestId } = context;
    context.answeredAtMs = CLOCKS.elapsed();
    if (Array.isArray(own))
      return write.call(this, status, [...own, 'X-Request-Id', requestId, ...inTurn]);
    this.setHeader('X-Request-Id', requestId);
    for (const [name, value] of common) {
      if (!this.hasHeader(name)) this.setHeader(name, value);
    }
    return write.apply(this, given);
  };
}

/** Returns the headers that helmet sets, which are the same for each response. */
function helmetHeaders(): readonly (readonly [name: string, value: string])[] {
  const headers: (readonly [string, string])[] = [];
  const first = { setHeader: (name: string, value: string) => void headers.push([name, value]) };
  helmet(OPTIONS)({} as IncomingMessage, first as unknown as ServerResponse, (error) => {
    if (error !== undefined) throw error;
  });
  return headers;
}
