import type { Operation, Row } from '../history/history.ts';
import type { Orders, Step } from './orders.ts';

/**
 * A happening: something that occurs to an order once, its placement or its end. Its time is
 * unknown, but bounded.
 */
export interface Happening {
  /** The number of the order. */
  readonly order: number;
  readonly what: 'placed' | 'shipped' | 'cancelled';
  /** Its lower bound: the first request for it, or a request whose response did not show it yet. */
  readonly from: Bound;
  /** Its upper bound: the response to this request shows it. */
  readonly until: Bound;
}

interface Bound {
  readonly time: number;
  readonly by: Operation;
}

/**
 * Returns the happenings that lists can show. Lists themselves do not bound them here. Each order
 * on its own must be correct, so that all responses about it are consistent.
 */
export function happeningsOf({ steps, lists }: Orders): readonly Happening[] {
  // A row without a status never shows a cancellation.
  const tellStatus = lists.every(({ rows }) => rows.every((row) => !row || row.status));
  return steps.flatMap((own, order) => {
    const listed = new Set(lists.flatMap(({ rows }) => rows[order] ?? []));
    const life = { order, steps: own, listed: [...listed] };
    const ended = tellStatus ? (shipped(life) ?? cancelled(life)) : shipped(life);
    return [placed(life), ended].flatMap((happening) => happening ?? []);
  });
}

interface Life {
  readonly order: number;
  readonly steps: readonly Step[];
  /** The rows in lists. */
  readonly listed: readonly Row[];
}

function placed(life: Life): Happening | undefined {
  const { steps, listed } = life;
  const places = steps.filter(({ request }) => request.kind === 'place');
  const rows = [...listed, ...steps.flatMap(rowOf)];
  const accepted = places.filter(({ answer }) => answer.kind === 'accepted');
  return happening(life, 'placed', {
    requests:
      accepted.length > 0
        ? accepted
        : places.filter((step) => isUnanswered(step) && rows.every((row) => isOf(row, step))),
    notYet: steps.filter((step) => reasonOf(step) === 'order_not_found'),
    already: steps.filter((step) => !isUnanswered(step) && reasonOf(step) !== 'order_not_found'),
    isListed: listed.length > 0,
  });
}

/** Returns false if a row shows another order than a placement asks for: then another one placed it. */
function isOf(row: Row, { request }: Step): boolean {
  if (request.kind !== 'place') return false;
  const isSame = row.petId === request.petId && row.quantity === request.quantity;
  // A shipped order shows the date of its shipment.
  return isSame && (row.complete || row.shipDate === request.shipDate);
}

function shipped(life: Life): Happening | undefined {
  const { steps, listed } = life;
  const ships = steps.flatMap((step) => {
    return step.request.kind === 'ship' ? [{ step, date: step.request.shipDate }] : [];
  });
  const otherDates = new Set(
    ships.flatMap(({ step, date }) => (reasonOf(step) === 'order_already_shipped' ? date : [])),
  );
  const dates = new Set([
    ...ships.flatMap(({ step, date }) => (step.answer.kind === 'accepted' ? date : [])),
    ...[...listed, ...steps.flatMap(rowOf)].flatMap((row) => (row.complete ? row.shipDate : [])),
  ]);
  const isPossible = (date: string) => (dates.size > 0 ? dates.has(date) : !otherDates.has(date));
  return happening(life, 'shipped', {
    requests: ships.flatMap(({ step, date }) => {
      return reasonOf(step) === undefined && isPossible(date) ? step : [];
    }),
    notYet: steps.filter((step) => rowOf(step).some(({ complete }) => !complete)),
    already: steps.filter((step) => {
      const isShipped = step.request.kind === 'ship' && step.answer.kind === 'accepted';
      const isComplete = rowOf(step).some(({ complete }) => complete);
      return isShipped || isComplete || reasonOf(step) === 'order_already_shipped';
    }),
    isListed: listed.some(({ complete }) => complete),
  });
}

function cancelled(life: Life): Happening | undefined {
  const { steps, listed } = life;
  const cancels = steps.filter(({ request }) => request.kind === 'cancel');
  return happening(life, 'cancelled', {
    requests: cancels.filter((step) => reasonOf(step) === undefined),
    notYet: steps.filter((step) => rowOf(step).some(({ status }) => status === 'pending')),
    already: steps.filter((step) => {
      const isCancelled = step.request.kind === 'cancel' && step.answer.kind === 'accepted';
      const isShown = rowOf(step).some(({ status }) => status === 'cancelled');
      return isCancelled || isShown || reasonOf(step) === 'order_cancelled';
    }),
    isListed: listed.some(({ status }) => status === 'cancelled'),
  });
}

interface Signs {
  /** The requests that may have caused it. */
  readonly requests: readonly Step[];
  /** The operations whose responses show that it had not happened yet. */
  readonly notYet: readonly Step[];
  /** The operations whose responses show that it had happened. */
  readonly already: readonly Step[];
  readonly isListed: boolean;
}

function happening(
  { order }: Life,
  what: Happening['what'],
  { requests, notYet, already, isListed }: Signs,
): Happening | undefined {
  if (already.length === 0 && !isListed) return undefined;
  const first = least(requests, ({ invoked }) => invoked);
  const late = least([...notYet, ...(first ? [first] : [])], ({ invoked }) => -invoked);
  const seen = least(already, ({ returned }) => returned);
  if (late === undefined) throw new Error('nobody asked for it');
  return {
    order,
    what,
    from: { time: late.invoked, by: late.by },
    until: seen ? { time: seen.returned, by: seen.by } : { time: Infinity, by: late.by },
  };
}

function least(steps: readonly Step[], measure: (step: Step) => number): Step | undefined {
  return steps.toSorted((a, b) => measure(a) - measure(b))[0];
}

function isUnanswered({ answer }: Step): boolean {
  return answer.kind === 'unknown';
}

function reasonOf({ answer }: Step): string | undefined {
  return answer.kind === 'refused' ? answer.reason : undefined;
}

/** Returns the order in a response, if there is one. */
function rowOf({ answer }: Step): readonly Row[] {
  if (answer.kind === 'shown') return [answer.order];
  return answer.kind === 'accepted' && answer.order !== undefined ? [answer.order] : [];
}
