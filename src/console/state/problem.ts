/** The states of a page that could not be loaded, from the errors of the client. */
import { StoreOrdersError } from '../../client/client.ts';
import { isPassing } from '../../client/retry-policy.ts';

/** The reason why a page shows no data. */
export interface Problem {
  readonly kind:
    | 'key_refused'
    | 'scope_missing'
    | 'not_found'
    | 'absent'
    | 'moment_to_come'
    | 'gone'
    | 'busy'
    | 'offline'
    | 'unreachable'
    | 'file_changed'
    | 'other';
  readonly message: string;
  readonly requestId?: string | undefined;
  /** The wait before the next attempt, in milliseconds; absent if the reader is to decide on one. */
  readonly retryMs?: number;
}

/** The problems that another attempt cannot solve. */
const LASTING: readonly Problem['kind'][] = [
  'key_refused',
  'scope_missing',
  'gone',
  'file_changed',
];

/** Returns false if another attempt is of no use. */
export function isWorthRetry({ kind }: Problem): boolean {
  return !LASTING.includes(kind);
}

/** A file that was checked cannot be read as it was then. */
export class FileChanged extends Error {}

/** The wait where the service states none. */
const RETRY_MS = 5_000;

const FILE_CHANGED = 'Events from here on are not shown. Choose the file again to verify it.';

/** Returns the problem in an error. Throws the error if it is neither the client's nor a file's. */
export function problemOf(error: unknown, isOnline: boolean): Problem {
  if (error instanceof FileChanged) return { kind: 'file_changed', message: FILE_CHANGED };
  if (!(error instanceof StoreOrdersError)) throw error;
  const { code, message, requestId, retryAfterMs = RETRY_MS } = error;
  const told = { message, requestId };
  switch (code) {
    case 'unauthorized':
      return { kind: 'key_refused', ...told };
    case 'insufficient_scope':
      return { kind: 'scope_missing', ...told };
    case 'order_not_found':
      return { kind: 'not_found', ...told };
    case 'not_found':
      return { kind: 'absent', ...told };
    case 'gone':
      return { kind: 'gone', ...told };
    case 'network':
    case 'timeout': {
      const kind = isOnline ? 'unreachable' : 'offline';
      return { kind, message: 'There was no answer.', retryMs: RETRY_MS };
    }
    case 'invalid_request': {
      const isToCome = /^asOf: (?:the log ends|it is in the future)/.test(message);
      return { kind: isToCome ? 'moment_to_come' : 'other', ...told };
    }
    default: {
      // Proxies that cannot reach the service answer with pages of their own.
      if (!isPassing(error)) return { kind: 'other', ...told };
      return { kind: 'busy', ...told, retryMs: Math.max(1_000, retryAfterMs) };
    }
  }
}
