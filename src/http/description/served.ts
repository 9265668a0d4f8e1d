import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Express, Request, Response } from 'express';
import { acceptsGzip } from '../list-response.ts';
import { allowOnly } from '../operation.ts';
import type { DescribedVersion, Server } from './description.ts';
import { VERSION_1, VERSION_2 } from './versions.ts';

/** Where clients reach the service, as the configuration has it: both end in `/v1`. */
export interface Addresses {
  readonly production: string | undefined;
  readonly staging: string | undefined;
}

/** Serves each version's description, without a key. */
export function serveDescriptions(app: Express, addresses: Addresses): void {
  for (const version of [VERSION_1, VERSION_2]) {
    const served = once(() => makeServed(version, serversOf(version, addresses)));
    const path: string = `/openapi/${version.name}.json`;
    const route = app.route(path);
    route.get(async (req, res) => send(req, res, await served()));
    allowOnly(route, ['get']);
  }
}

/** The servers of a version. Where none is configured, it is the one that was asked. */
export function serversOf({ name }: DescribedVersion, addresses: Addresses): readonly Server[] {
  const { production, staging } = addresses;
  const at = (url: string) => url.replace(/v1$/, name);
  return [
    production === undefined
      ? { url: `/${name}`, description: 'The server, local or in production, that this came from' }
      : { url: at(production), description: 'Production' },
    ...(staging === undefined ? [] : [{ url: at(staging), description: 'Staging' }]),
  ];
}

interface Served {
  readonly tag: string;
  readonly json: Buffer;
  readonly gzip: Buffer;
}

// When somebody first asks: most processes never are, and a start should take no longer for it.
async function makeServed(version: DescribedVersion, servers: readonly Server[]): Promise<Served> {
  const { describeVersion } = await import('./description.ts');
  const json = Buffer.from(describeVersion(version, servers));
  return { tag: hash('sha256', json, 'base64url').slice(0, 22), json, gzip: gzipSync(json) };
}

function send(req: Request, res: Response, { tag, json, gzip }: Served): void {
  const isCompressed = acceptsGzip(req);
  res.setHeader('ETag', isCompressed ? `"${tag}-gzip"` : `"${tag}"`);
  res.setHeader('Cache-Control', 'no-cache');
  res.vary('Accept-Encoding');
  if (req.fresh) {
    res.status(304).end();
    return;
  }
  if (isCompressed) res.setHeader('Content-Encoding', 'gzip');
  res.type('json').send(isCompressed ? gzip : json);
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
