/** Limits the long reads in flight. */
import { CLOCKS } from '../../app/clock.ts';
import type { Bulkhead } from '../../app/read/bulkhead.ts';
import { ApiError } from '../api-error.ts';
import type { RequestContext } from '../request-context.ts';

export interface ReadServices {
  readonly reads: Pick<Bulkhead, 'enter'>;
}

const TOO_MANY = 'Too many lists are being read. Try again in a moment.';

/**
 * Returns a handler that waits for the permit of a long read, and throws a 503 if none becomes
 * free in time. The permit is released when the response is complete, or earlier if only the client is
 * waited for.
 */
export function bounded<Services, Context extends RequestContext>(
  handle: (services: Services, context: Context) => Promise<void>,
): (services: Services & ReadServices, context: Context) => Promise<void> {
  return async (services, context) => {
    context.permitMs -= CLOCKS.elapsed();
    const permit = await services.reads.enter(context);
    context.permitMs += CLOCKS.elapsed();
    if (permit === undefined) throw new ApiError('service_unavailable', TOO_MANY);
    context.permit = permit;
    try {
      await handle(services, context);
    } finally {
      permit.release();
    }
  };
}
