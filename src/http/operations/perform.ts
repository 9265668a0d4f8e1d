/** Carries out commands: from a request to their durable end, and to what can be read behind them. */
import type { z } from 'zod';
import type { Epochs } from '../../app/log/epochs.ts';
import { type Accepted, groupOf, type Outcome, type Submission } from '../../app/log/submission.ts';
import type { ApiKey } from '../../app/ports/key-store.ts';
import { StoreUnavailable } from '../../app/ports/store.ts';
import type { ReadModel } from '../../app/read/read-model.ts';
import type { OrderDetails, OrderList } from '../../app/state/order-list.ts';
import type { CommandProcessor } from '../../app/write/command-processor.ts';
import type { OrderId } from '../../domain/order-id.ts';
import { ApiError } from '../api-error.ts';
import type { RequestContext } from '../request-context.ts';
import { type ChangeHeaders, versionsIn } from '../requests/headers.ts';

export interface OrderServices {
  readonly commands: Pick<CommandProcessor, 'submit' | 'submitGroup'>;
  readonly readModel: Pick<ReadModel<unknown>, 'current'>;
  readonly epochs: Pick<Epochs, 'logName'>;
}

/** A request with a command. */
export interface Changing extends RequestContext {
  readonly key: ApiKey;
  readonly headers: z.output<typeof ChangeHeaders>;
}

/** Returns the order with an id. Throws a 404 if there is none. */
export function orderIn(list: OrderList<unknown>, id: OrderId): OrderDetails {
  const order = list.get(id);
  if (order === undefined) throw new ApiError('order_not_found');
  return order;
}

/** Returns the list after a command that was accepted. Throws `outcome_unknown` if it cannot be read. */
export async function listBehind(
  { readModel }: OrderServices,
  context: RequestContext,
): Promise<OrderList<unknown>> {
  try {
    return await readModel.current(context);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    context.cause = error.message;
    throw new ApiError('outcome_unknown');
  }
}

/** Runs a command to its durable end. Throws unless it was accepted. */
export async function perform(
  { commands, epochs }: OrderServices,
  context: Changing,
  command: Submission['command'],
): Promise<Accepted> {
  const ifMatch = context.headers['If-Match'];
  const onlyIf = ifMatch === undefined ? undefined : versionsIn(ifMatch, epochs.logName);
  const submission = { ...sharedOf(context), command, onlyIf };
  const outcome = await commands.submit(submission, context);
  requireDecided(outcome, context);
  if (outcome.kind === 'rejected') throw new ApiError(outcome.reason);
  return outcome;
}

/**
 * Runs the commands of one request to their durable end. Throws unless they were decided.
 * @param isAtomic See {@link Group}.
 */
export async function performGroup(
  { commands }: Pick<OrderServices, 'commands'>,
  context: Changing,
  asked: readonly Submission['command'][],
  isAtomic: boolean,
): Promise<readonly Settled[]> {
  const group = groupOf(asked, sharedOf(context), isAtomic);
  const outcomes = await commands.submitGroup(group, context);
  return outcomes.map((outcome) => {
    requireDecided(outcome, context);
    // A name for another request: then nothing of this one was decided.
    if (outcome.kind === 'rejected' && outcome.reason === 'idempotency_key_reused') {
      throw new ApiError(outcome.reason);
    }
    return outcome;
  });
}

/** The outcome of a command that was decided. */
export type Settled = Extract<Outcome, { readonly kind: 'accepted' | 'rejected' }>;

function sharedOf(context: Changing) {
  const { key, requestId, headers, traceparent } = context;
  return {
    by: key.id,
    commandId: requestId,
    idempotencyKey: headers['Idempotency-Key'],
    traceparent,
    progress: context.submitted(),
  };
}

function requireDecided(outcome: Outcome, context: Changing): asserts outcome is Settled {
  if ('cause' in outcome) context.cause = outcome.cause;
  // The answer names the impairment by which commands are refused from now on, if there is one.
  if (outcome.kind === 'unavailable') throw new StoreUnavailable(new Error(outcome.cause));
  if (outcome.kind === 'unknown') throw new ApiError('outcome_unknown');
}
