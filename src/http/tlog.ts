/** Serves the log to tools of transparency logs: checkpoints, tiles and entries, as C2SP tlog-tiles. */
import type { Express, Request, RequestHandler } from 'express';
import type { TileReader } from '../app/audit/proving/tile-reader.ts';
import { type Epochs, FIRST_EPOCH } from '../app/log/epochs.ts';
import { placeAt } from '../app/log/tiles.ts';
import { type CheckpointSource, sendCheckpoint } from './answers/checkpoint.ts';
import { sendNegotiated } from './answers/negotiation.ts';
import { ApiError } from './api-error.ts';
import { bounded, type ReadServices } from './operations/bounded-read.ts';
import { requireScope } from './requests/authentication.ts';
import { allowOnly } from './routing.ts';

export interface TlogServices extends ReadServices {
  readonly epochs: Pick<Epochs, 'id' | 'logName'>;
  readonly prover: CheckpointSource;
}

/** The tiles, and who may read them. */
export interface ServedTiles {
  readonly reader: TileReader;
  /** True if checkpoints and tiles of hashes need no key. Entries always need one. */
  readonly isPublic: boolean;
}

type Services = TlogServices & Pick<ServedTiles, 'reader'>;

const CHECKPOINT = /^\/tlog(?:\/epochs\/(?<epoch>[\d.a-f]+))?\/checkpoint$/;
const ENTRIES = /^\/tlog(?:\/epochs\/(?<epoch>[\d.a-f]+))?\/tile\/(?<path>entries\/.+)$/;
const TILE = /^\/tlog(?:\/epochs\/(?<epoch>[\d.a-f]+))?\/tile\/(?<path>.+)$/;
const YEAR_S = 31_536_000;

/**
 * Adds the paths below `/tlog`. A log that was cut goes on as another log: below
 * `/tlog/epochs/ID`, so that what caches have of the earlier one stays true.
 * @param gate Admits requests with a key.
 * @param admit Admits requests without one.
 */
export function serveTlog(
  app: Express,
  services: TlogServices,
  { reader, isPublic }: ServedTiles,
  gate: RequestHandler,
  admit: RequestHandler,
): void {
  const withKey: readonly RequestHandler[] = [
    gate,
    (req, _res, next) => {
      requireScope(req.context, 'audit:read');
      next();
    },
  ];
  const hashes = isPublic ? [admit] : withKey;
  const sharing = isPublic ? 'public' : 'private';
  const routes = [
    [CHECKPOINT, 'tlog checkpoint', hashes, checkpoint],
    [ENTRIES, 'tlog entries', withKey, sendTile('private')],
    [TILE, 'tlog tile', hashes, sendTile(sharing)],
  ] as const;
  for (const [path, name, before, send] of routes) {
    const named: RequestHandler = (req, _res, next) => {
      req.context.operation = name;
      next();
    };
    const handle: RequestHandler = (req) => {
      requireEpoch(services, req);
      return send({ ...services, reader }, req.context);
    };
    // Express's types take a pattern for a string.
    const route = app.route(path as unknown as string);
    route.get(named, ...before, handle);
    allowOnly(route, ['get']);
  }
}

/** Throws a 404 for paths of another epoch than that of the log. */
function requireEpoch({ epochs }: Pick<TlogServices, 'epochs'>, { params }: Request): void {
  const { epoch } = params as { readonly epoch?: string };
  const isFirst = epochs.id === FIRST_EPOCH;
  if (epoch === (isFirst ? undefined : epochs.id)) return;
  const base = isFirst ? '/tlog' : `/tlog/epochs/${epochs.id}`;
  throw new ApiError('not_found', `The log is in epoch ${epochs.id}, which is below ${base}.`);
}

async function checkpoint(
  { epochs, prover }: Services,
  { res }: Request['context'],
): Promise<void> {
  // A log with witnesses publishes nothing that they have not seen.
  await sendCheckpoint(res, { epochs, prover }, 'no-cache', prover.isWitnessed);
}

function sendTile(sharing: 'public' | 'private') {
  return bounded(async ({ reader }: Services, { req, res }: Request['context']) => {
    const place = placeAt((req.params as { readonly path: string }).path);
    const bytes = place && (await reader.read(place));
    if (place === undefined || bytes === undefined) {
      throw new ApiError(
        'not_found',
        'The log has no such tile, or does not fill it to this width.',
      );
    }
    // The same bytes for ever: what is behind an address of a log is never rewritten.
    res.setHeader('Cache-Control', `${sharing}, max-age=${YEAR_S}, immutable`);
    res.setHeader('Content-Type', 'application/octet-stream');
    if (place.level === 'entries') {
      res.vary('Accept-Encoding');
      await sendNegotiated(req, res, bytes);
    } else {
      res.setHeader('Content-Length', bytes.length);
      res.end(bytes);
    }
  });
}
