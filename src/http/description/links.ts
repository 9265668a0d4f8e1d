/** The links of an answer: the operations that a client can go on with, and the parameters for them. */
import type { Description } from '../operations/operation.ts';

const ONE_ORDER = '/store/orders/:orderId';

/** Returns the links of an operation that answers with an order; `undefined` for any other. */
export function linksOf(from: Description, operations: readonly Description[]) {
  const { success, path, tag } = from;
  if (tag !== 'orders' || success.schema === undefined) return undefined;
  const orderId = success.headers?.includes('Location')
    ? '$response.body#/id'
    : path.startsWith(ONE_ORDER) && '$request.path.orderId';
  if (!orderId) return undefined;
  const targets = operations.filter((each) => each !== from && each.path.startsWith(ONE_ORDER));
  const links = targets.map(({ operationId, summary }) => {
    return [operationId, { operationId, description: `${summary}.`, parameters: { orderId } }];
  });
  return Object.fromEntries(links);
}
