import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import type { ApiKey } from '../app/api-key.ts';
import { withoutLongRuns } from '../app/secrets.ts';
import { shownPath } from './shown.ts';

/** How many kinds of lines are remembered at most; beyond it, the memory starts anew. */
const MAX_KINDS = 1_000;

/**
 * One JSON line a request: its id, who asked for what, what came of it, how long it took. Of what the
 * client has sent, it has the method, which is one of a few, and what may be shown of the path.
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
          path: shownPath(originalUrl),
          cause: causeOf(res),
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
    if (known === undefined && kinds.size >= MAX_KINDS) kinds.clear();
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

function causeOf(res: Response): string | undefined {
  const cause = res.locals.cause as string | undefined;
  return cause === undefined ? undefined : withoutLongRuns(cause);
}
