/**
 * Version 1's list of all orders. It is sent in chunks of about a thousand orders: JSON that opens
 * the array in the first chunk and continues with a comma in the others, so that consecutive chunks
 * lack only the closing bracket. The list caches them encoded (docs/adr/0007).
 */
import { once } from 'node:events';
import type { Request, Response } from 'express';
import { orderToJson } from '../../app/read/order-json.ts';
import type { ListSnapshot } from '../../app/state/list-snapshots.ts';
import type { OrderView } from '../../app/state/order-list.ts';
import type { OrderEvent } from '../../domain/order.ts';
import { type GzipPiece, gzipFile, gzipPiece, gzipPieceSync } from './gzip.ts';
import type { ListVersions, VersionedChunk } from './list-versions.ts';
import { acceptsGzip, etagOf, isKnown, JSON_UTF_8, PRIVATE, varyOf } from './negotiation.ts';
import { drained, type Sending } from './sending.ts';

/**
 * The bytes that are written before other requests get a turn. A remainder of up to that size is
 * sent at once.
 */
const TURN_BYTES = 524_288;
/**
 * Up to this size, a body is copied into one buffer. Longer ones are not copied: versions share
 * their chunks.
 */
const MAX_COPIED_BYTES = 131_072;

/** An encoded chunk of the list. */
export class ListChunk implements VersionedChunk {
  readonly json: Buffer;
  firstIn?: number;
  lastIn?: number;
  #bytes: number;
  #gzip: Promise<GzipPiece> | undefined;

  constructor(json: Buffer) {
    this.json = json;
    this.#bytes = json.length;
  }

  /** The size of both forms in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the compressed chunk. It is compressed once, at the first call. */
  gzip(): Promise<GzipPiece> {
    this.#gzip ??= this.#compress();
    return this.#gzip;
  }

  async #compress(): Promise<GzipPiece> {
    const piece = await gzipPiece(this.json);
    this.#bytes += piece.deflated.length;
    return piece;
  }
}

export function encodeChunk(orders: readonly OrderView[], first: boolean): ListChunk {
  let text = '';
  for (const order of orders) text += `,${orderToJson(order)}`;
  return new ListChunk(Buffer.from(first ? `[${text.slice(1)}` : text, 'latin1'));
}

/** Version 1 does not show cancellations. */
export const NOT_SHOWN: readonly OrderEvent['type'][] = ['OrderCancelled'];

// The beginning of a list without chunks, and the end of every list.
const OPEN = Buffer.from('[');
const CLOSE = Buffer.from(']');
const OPEN_PIECE = gzipPieceSync(OPEN);
const CLOSE_PIECE = gzipPieceSync(CLOSE);

/** A body as it is sent: buffers shared by all responses, none copied for a single client. */
interface Body {
  readonly buffers: readonly Buffer[];
  readonly length: number;
  /** Its own headers: names and values in turn. */
  readonly head: readonly string[];
}

interface ListSending extends Sending {
  readonly versions: ListVersions<ListChunk>;
}

/**
 * Sends the whole list, or a newer one if there is one. Its ETag names the log and its position, so
 * one comparison decides if anything has happened since.
 */
export async function sendList(
  req: Request,
  res: Response,
  logName: string,
  newest: ListSnapshot<ListChunk>,
  sending: ListSending,
): Promise<void> {
  const { snapshot, leave } = sending.versions.read(newest, () => cutOff(req));
  try {
    const isCompressed = acceptsGzip(req);
    const etag = etagOf(`${logName}-${snapshot.state}`, isCompressed);
    const head = ['ETag', etag, 'Cache-Control', PRIVATE, 'Vary', varyOf(res)];
    if (isKnown(req, res, etag)) {
      res.writeHead(304, head).end();
      return;
    }
    const body = isCompressed ? await gzipBody(snapshot) : jsonBody(snapshot);
    // The client may have disconnected, or been cut off.
    if (res.closed) return;
    res.writeHead(200, [...head, ...body.head]);
    if (req.method === 'HEAD') res.end();
    else if (body.buffers.length === 1) res.end(body.buffers[0]);
    else await write(res, body, sending);
  } finally {
    leave();
  }
}

/** Ends the connection of a client whose version of the list has become too expensive. */
function cutOff({ context, socket }: Request): void {
  context.cause = 'the client was too slow: the list has changed too much since it began to read';
  socket.resetAndDestroy();
}

const jsonBodies = new WeakMap<ListSnapshot<ListChunk>, Body>();
const gzipBodies = new WeakMap<ListSnapshot<ListChunk>, Promise<Body>>();

function jsonBody(snapshot: ListSnapshot<ListChunk>): Body {
  return remembered(jsonBodies, snapshot, ({ chunks }) => {
    const buffers = chunks.length === 0 ? [OPEN] : chunks.map(({ json }) => json);
    return bodyOf([...buffers, CLOSE]);
  });
}

function gzipBody(snapshot: ListSnapshot<ListChunk>): Promise<Body> {
  return remembered(gzipBodies, snapshot, async ({ chunks }) => {
    const pieces = await Promise.all(chunks.map((chunk) => chunk.gzip()));
    const file = gzipFile([...(chunks.length === 0 ? [OPEN_PIECE] : pieces), CLOSE_PIECE]);
    return bodyOf(file, ['Content-Encoding', 'gzip']);
  });
}

/** Joins the buffers of a short body, so that it is sent in one piece. */
function bodyOf(all: readonly Buffer[], encoding: readonly string[] = []): Body {
  const length = all.reduce((length, buffer) => length + buffer.length, 0);
  return {
    buffers: length > MAX_COPIED_BYTES ? all : [Buffer.concat(all)],
    length,
    head: [...encoding, 'Content-Type', JSON_UTF_8, 'Content-Length', `${length}`],
  };
}

function remembered<Key extends object, Value>(
  memory: WeakMap<Key, Value>,
  key: Key,
  make: (key: Key) => Value,
): Value {
  const known = memory.get(key);
  if (known !== undefined) return known;
  const made = make(key);
  memory.set(key, made);
  return made;
}

/**
 * Writes the buffers as fast as the client reads. A slow client costs no memory but its place in
 * the buffers, and a fast one lets others have a turn every half megabyte.
 */
async function write(
  res: Response,
  { buffers, length }: Body,
  { giveWay, made }: Sending,
): Promise<void> {
  let bytes = 0;
  let left = length;
  // The head and the first buffers are written in one system call.
  res.cork();
  for (const buffer of buffers) {
    if (bytes >= TURN_BYTES && left > TURN_BYTES) {
      res.uncork();
      await giveWay();
      // The rest depends on the client alone, so it gives up its place among the long reads.
      if (res.writableNeedDrain) made();
      await drained(res);
      if (res.closed) return;
      bytes = 0;
      res.cork();
    }
    res.write(buffer);
    bytes += buffer.length;
    left -= buffer.length;
  }
  res.uncork();
  res.end();
  made();
  // Until then the last written buffers are in use.
  if (!res.closed) await once(res, 'close');
}
