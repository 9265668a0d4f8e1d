/** A fault to be planted in the specification, and the invariant that it breaks. */
export interface Mutant {
  readonly fault: string;
  readonly breaks: string;
  /** The text to be replaced, which the specification has once. */
  readonly from: string;
  readonly to: string;
}

export const MUTANTS: readonly Mutant[] = [
  {
    fault: 'a batch is recorded on a head on which it was not decided',
    breaks: 'oneEnd',
    from: 'isCurrent(instance),\n      world.queues',
    to: 'true,\n      world.queues',
  },
  {
    fault: 'a shipped order is cancelled',
    breaks: 'oneEnd',
    from: '| IsShipped(_) => (Refused("order_already_shipped"), [])',
    to: '| IsShipped(_) => (Done(id), [Cancelled])',
  },
  {
    fault: 'an order ships again at each request',
    breaks: 'oneEnd',
    from: '| IsShipped(date) => (if (date == it.date) Done(it.id) else Refused("order_already_shipped"), [])',
    to: '| IsShipped(_) => (Done(it.id), [Shipped(it.date)])',
  },
  {
    fault: 'an id is left out',
    breaks: 'idsCount',
    from: '(Done(placements(image) + 1), [Placed])',
    to: '(Done(placements(image) + 2), [Placed])',
  },
  {
    fault: 'a crash loses the last event',
    breaks: 'durable',
    from: '{ ...withQueue(instance, []), images: world.images.set(instance, []) }',
    to: `{
    ...withQueue(instance, []), images: world.images.set(instance, []),
    log: if (world.log == []) [] else world.log.slice(0, world.log.length() - 1),
  }`,
  },
  {
    fault: 'outcomes are not kept',
    breaks: 'repeatable',
    from: 'kept: if (request.hasKey) world.kept.put(request.number, decision._1) else world.kept',
    to: 'kept: world.kept',
  },
  {
    fault: 'outcomes are kept in memory only',
    breaks: 'once',
    from: '{ ...withQueue(instance, []), images: world.images.set(instance, []) }',
    to: '{ ...withQueue(instance, []), images: world.images.set(instance, []), kept: Map() }',
  },
  {
    fault: 'a placement without a key is sent again',
    breaks: 'once',
    from: 'request.hasKey or request.commands.select(command => command == Place) == []',
    to: 'true',
  },
  {
    fault: 'an atomic batch is decided like any other',
    breaks: 'whole',
    from: 'if (request.isAtomic and each',
    to: 'if (false and each',
  },
  {
    fault: 'a refused atomic batch is answered as if it had been done in part',
    breaks: 'whole',
    from: '(each._1.foldl([], refuse), [])',
    to: '(each._1, [])',
  },
  {
    fault: 'a list is served from an image that lags',
    breaks: 'readYourWrites',
    from: "all { isCurrent(instance), world' = { ...before, shown",
    to: "all { true, world' = { ...before, shown",
  },
];
