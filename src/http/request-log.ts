import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import { type ApiKey, withoutKeys } from '../app/api-key.ts';

/** So many kinds of lines are remembered at most; beyond it, the memory starts anew. */
const KINDS = 1_000;

/**
 * One JSON line a request: its id, who asked for what, what came of it, how long it took. Nothing
 * that could hold a key is ever looked at, but for the path, in which keys are blotted out.
 */
export function requestLog(logger: Logger): (req: Request, res: Response) => void {
  const loggerOf = kindsOf(logger);
  return (req, res) => {
    const begun = performance.now();
    const requestId = randomUUID();
    const { method, originalUrl = req.url } = req;
    // All that will be noted of the request, in one shape, so that reading it stays cheap.
    res.locals = { requestId, key: undefined, outcome: undefined, cause: undefined };
    res.on('close', () => {
      const status = res.statusCode;
      const keyId = (res.locals.key as ApiKey | undefined)?.id;
      // A client that went away before its answer was complete is not an answered one.
      const outcome = res.writableFinished ? (res.locals.outcome ?? 'ok') : 'aborted';
      loggerOf({ method, status, keyId, outcome })[status >= 500 ? 'error' : 'info'](
        {
          requestId,
          path: pathOf(originalUrl),
          cause: res.locals.cause as string | undefined,
          // To a hundredth: a number that was printed before is printed from memory, in no time.
          durationMs: Math.round((performance.now() - begun) * 100) / 100,
        },
        'request',
      );
    });
  };
}

/** What lines have in common. */
interface Kind {
  readonly method: string;
  readonly status: number;
  readonly keyId: string | undefined;
  readonly outcome: string;
}

/** A logger for each kind of line: what such lines have in common is put into JSON once. */
function kindsOf(logger: Logger): (kind: Kind) => Logger {
  const kinds = new Map<string, Logger>();
  let last: { readonly kind: Kind; readonly logger: Logger } | undefined;
  return (kind) => {
    // Most lines are like the one before, and to compare two takes less than to look one up.
    if (last !== undefined && isSame(last.kind, kind)) return last.logger;
    const name = `${kind.method} ${kind.status} ${kind.keyId} ${kind.outcome}`;
    const known = kinds.get(name);
    if (known === undefined && kinds.size >= KINDS) kinds.clear();
    last = { kind, logger: known ?? logger.child(kind) };
    kinds.set(name, last.logger);
    return last.logger;
  };
}

function isSame(one: Kind, other: Kind): boolean {
  return (
    one.status === other.status &&
    one.outcome === other.outcome &&
    one.keyId === other.keyId &&
    one.method === other.method
  );
}

/** The id of the request, which is also the id of its command. */
export function requestIdOf(res: Response): string {
  return res.locals.requestId as string;
}

/** The path of an address, with whatever in it could be a key blotted out. */
export function pathOf(url: string): string {
  const query = url.indexOf('?');
  const path = query === -1 ? url : url.slice(0, query);
  return withoutKeys(path.includes('%') ? path.replaceAll(/%[0-9a-f]{2}/gi, plain) : path);
}

// A letter, a digit or an underscore is the same encoded or not (RFC 3986, section 2.3), and a key
// is made of nothing else.
function plain(encoded: string): string {
  const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
  return /\w/.test(character) ? character : encoded;
}
