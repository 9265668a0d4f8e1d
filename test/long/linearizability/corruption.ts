import type { Answer, History, Operation, Row } from '../../kit/history/history.ts';
import { Random } from '../../kit/history/random.ts';

/** Changes a history in a few places, without regard to whether that makes it wrong. */
export function corrupted(history: History, times: number, seed: number): History {
  const random = new Random(seed);
  let changed = [...history];
  for (let i = 0; i < times && changed.length > 0; i++) {
    const index = random.below(changed.length);
    const other = changed[random.below(changed.length)] as Operation;
    changed = changed.with(index, corrupt(changed[index] as Operation, other, random));
  }
  return changed;
}

function corrupt(operation: Operation, other: Operation, random: Random): Operation {
  switch (random.below(4)) {
    case 0:
      return { ...operation, answer: { kind: 'unknown' }, returned: Number.POSITIVE_INFINITY };
    case 1:
      return { ...operation, ...moved(operation, random.below(9) - 4) };
    case 2:
      return withAnswerOf(operation, other);
    default:
      return { ...operation, answer: garbled(operation.answer, random) };
  }
}

function moved({ invoked, returned }: Operation, by: number) {
  return { invoked: invoked + by, returned: returned + by };
}

/** The answer that another request of the same kind got; of the same order, too, if it is of one. */
function withAnswerOf(operation: Operation, { request, answer, returned }: Operation): Operation {
  const isAlike = request.kind === operation.request.kind && request.kind !== 'place';
  const isAnswered = Number.isFinite(returned) && Number.isFinite(operation.returned);
  const isSame =
    'id' in request && 'id' in operation.request && request.id !== operation.request.id;
  return isAlike && isAnswered && !isSame ? { ...operation, answer } : operation;
}

function garbled(answer: Answer, random: Random): Answer {
  switch (answer.kind) {
    case 'listed': {
      const at = random.below(answer.orders.length + 1);
      const orders = answer.orders.flatMap((row, index) => {
        if (index !== at) return [row];
        return random.percent(50) ? [] : [garbledRow(row, random)];
      });
      return { kind: 'listed', orders };
    }
    case 'shown':
      return { kind: 'shown', order: garbledRow(answer.order, random) };
    case 'refused':
      return {
        kind: 'refused',
        reason: random.pick(['order_not_found', 'order_already_shipped', 'order_cancelled']),
      };
    default:
      return answer;
  }
}

function garbledRow(row: Row, random: Random): Row {
  return random.percent(70)
    ? { ...row, complete: !row.complete, shipDate: '2026-01-01T00:00:00.000Z' }
    : { ...row, quantity: row.quantity + 1 };
}
