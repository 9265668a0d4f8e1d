/** The handler of all errors: it sends each as an Error object. */
import type { ErrorRequestHandler, Request } from 'express';
import { isDamage, StoreUnavailable } from '../app/ports/store.ts';
import { sendError } from './answers/error.ts';
import { ApiError, type ErrorCode } from './api-error.ts';

const NO_ENCODING = 'The address is not percent-encoded UTF-8.';
/** The system's codes where no file descriptor is left, in this process or on the machine. */
const NO_FILES: readonly unknown[] = ['EMFILE', 'ENFILE'];

/**
 * Returns the handler of errors.
 * @param damaged Called when a request fails because the store is damaged.
 * @param refused Called for each request that is answered with an error.
 * @param refusal Returns the error with which a request is refused at present, if it is. A request that
 * needs the store before that, to find its key, gets the same answer.
 */
export function handleErrors(
  damaged: (cause: Error) => void,
  refused: (req: Request, code: ErrorCode) => void,
  refusal: (req: Request) => ApiError | undefined = () => undefined,
): ErrorRequestHandler {
  // Express recognizes an error handler by its four parameters.
  return (error, req, res, next) => {
    if (isDamage(error)) damaged(error);
    const answer = (isOfStore(error) ? refusal(req) : undefined) ?? toApiError(error);
    const { context } = req;
    if (answer.code === 'internal_error') context.cause = (error as Error).stack ?? String(error);
    if (isOfStore(error) || isOutOfFiles(error)) context.cause = error.message;
    // The message tells which limit was reached, or why nobody is served.
    else if (answer.status === 503 || answer.status === 429) context.cause ??= answer.message;
    refused(req, answer.code);
    if (res.headersSent) next(error);
    else sendError(res, answer);
  };
}

/** Returns true if the store is unreachable or damaged. */
function isOfStore(error: unknown): error is Error {
  return error instanceof StoreUnavailable || isDamage(error);
}

/**
 * Returns true if a file could not be opened for want of a descriptor. It passes by itself: modules of pages,
 * which are loaded at the first request, are then loaded at the next.
 */
function isOutOfFiles(error: unknown): error is Error {
  return error instanceof Error && NO_FILES.includes((error as NodeJS.ErrnoException).code);
}

/** Returns the API error for any error, those of Express included. */
function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isOfStore(error) || isOutOfFiles(error)) return new ApiError('service_unavailable');
  // The one kind of request that Express itself refuses.
  const { status } = error as { status?: number };
  return status === 400
    ? new ApiError('invalid_request', NO_ENCODING)
    : new ApiError('internal_error');
}
