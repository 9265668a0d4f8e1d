import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet, { type HelmetOptions } from 'helmet';

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
 * What sets helmet's headers on an answer. Helmet puts them together anew for each, though with
 * these options they are always the same: so it is asked once.
 */
export function securityHeaders(): (res: ServerResponse) => void {
  const headers: { name: string; value: string }[] = [];
  const first = { setHeader: (name: string, value: string) => void headers.push({ name, value }) };
  helmet(OPTIONS)({} as IncomingMessage, first as unknown as ServerResponse, (error) => {
    if (error !== undefined) throw error;
  });
  return (res) => {
    for (const { name, value } of headers) res.setHeader(name, value);
  };
}
