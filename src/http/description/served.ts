/** Serves the OpenAPI documents with the service's addresses. */
import type { Express } from 'express';
import { fixedAnswer, lazily } from '../answers/fixed-answer.ts';
import { serveFixed } from '../routing.ts';
import type { DescribedVersion, Server } from './description.ts';
import { VERSION_1, VERSION_2 } from './versions.ts';

/** The configured public addresses of the service: both end in `/v1`. */
export interface Addresses {
  readonly production: string | undefined;
  readonly staging: string | undefined;
}

/** Serves the description of each version, without a key. */
export function serveDescriptions(app: Express, addresses: Addresses): void {
  for (const version of [VERSION_1, VERSION_2]) {
    const made = lazily(async () => {
      const { describeVersion } = await import('./description.ts');
      const json = describeVersion(version, serversOf(version, addresses));
      return fixedAnswer('json', json);
    });
    serveFixed(app, `/openapi/${version.name}.json`, made);
  }
}

/** Returns the servers of a version: the configured ones, or else the address of the request. */
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
