import { after, ask, keyOf, NO_ORDER, type OrderState } from './order-table.ts';
import { looksAt, type Orders, type Step } from './orders.ts';
import { asked, inWords } from './timeline.ts';
import type { Rule, Violation } from './violation.ts';
import { linearize, type Specification } from './wing-gong.ts';

/** Checks orders one by one: each is a small state machine. */

const ORDER: Specification<OrderState, Step> = {
  initial: NO_ORDER,
  after,
  keyOf,
  // What an order answers without a change, it never answers with a change later.
  staysIdle: () => true,
};

/** Returns a violation in one order, if there is one. */
export function judgeOrder(number: number, orders: Orders): Violation | undefined {
  const steps = withoutEchoes([...(orders.steps[number] ?? []), ...looksAt(number, orders)]);
  if (linearize(ORDER, steps).found) return undefined;
  const fewest = fewestThatFail(steps);
  const id = orders.ids[number] as bigint;
  const evidence = fewest.map((step) => ({ operation: step.by, isOpen: isOpened(step) }));
  return { rule: ruleFor(fewest), orders: [id], evidence, why: reasons(fewest) };
}

/**
 * Drops redundant unanswered requests: one explains nothing that an earlier equal request does not.
 * An order never returns to a state that it has left, so equal requests change it once.
 */
function withoutEchoes(steps: readonly Step[]): readonly Step[] {
  const made = new Set<string>();
  return steps
    .toSorted((a, b) => a.invoked - b.invoked)
    .filter(({ answer, by }) => {
      const request = asked(by.request);
      const isEcho = answer.kind === 'unknown' && made.has(request);
      if (answer.kind !== 'refused') made.add(request);
      return !isEcho;
    });
}

/** Returns the rule for contradicting lists: a later list lacks what an earlier one showed. */
function ruleFor(steps: readonly Step[]): Rule {
  const answered = steps.filter(({ answer }) => answer.kind !== 'unknown');
  const isForgotten =
    answered.every(({ by }) => by.answer.kind === 'listed') && answered.length > 1;
  return isForgotten ? 'forgotten' : 'linearizable';
}

/**
 * Weakens the history as long as it still fails. Omitting a read or a refusal, or the response to a
 * command, never makes a correct history fail, so the remaining failure exists in the whole
 * history. Unanswered requests stay, since they may explain something.
 */
function fewestThatFail(all: readonly Step[]): readonly Step[] {
  let steps = withoutLateComers(all);
  // Many at a time first, because most of them are irrelevant.
  for (let size = Math.ceil(steps.length / 2); size > 0; size = Math.floor(size / 2)) {
    for (let at = 0; at < steps.length; ) {
      const weaker = weakened(steps, steps.slice(at, at + size));
      const isSmaller = weaker !== undefined && !linearize(ORDER, weaker).found;
      if (isSmaller) steps = withoutLateComers(weaker);
      else at += size;
    }
  }
  return steps;
}

/** Returns the steps without some of them; `undefined` if nothing in these can be omitted. */
function weakened(steps: readonly Step[], some: readonly Step[]): readonly Step[] | undefined {
  const said = new Set(some.filter(({ answer }) => answer.kind !== 'unknown'));
  if (said.size === 0) return undefined;
  const weaker = steps.flatMap((step) => {
    if (!said.has(step)) return [step];
    return isCommandDone(step) ? [opened(step)] : [];
  });
  return withoutEchoes(weaker);
}

function isCommandDone({ answer }: Step): boolean {
  return answer.kind === 'accepted';
}

function opened(step: Step): Step {
  return { ...step, answer: { kind: 'unknown' }, returned: Number.POSITIVE_INFINITY };
}

function isOpened({ answer, by }: Step): boolean {
  return answer.kind === 'unknown' && by.answer.kind !== 'unknown';
}

/** Drops requests made after all relevant responses, which cannot explain any of them. */
function withoutLateComers(steps: readonly Step[]): readonly Step[] {
  const answered = steps.filter(({ returned }) => returned !== Number.POSITIVE_INFINITY);
  const end = Math.max(...answered.map(({ returned }) => returned));
  return steps.filter(({ invoked }) => invoked <= end);
}

/** Describes the end of the longest valid order of operations, and why no next operation fits. */
function reasons(steps: readonly Step[]): readonly string[] {
  const search = linearize(ORDER, steps);
  if (search.found) throw new Error('it is linearizable');
  const { longest, state } = search;
  const left = steps.filter((step) => !longest.includes(step));
  const next = left.filter(({ invoked }) => left.every(({ returned }) => returned >= invoked));
  const so =
    longest.length === 0
      ? 'at first there is no order'
      : `after ${longest.map(({ by }) => inWords(by)).join(', then ')}, the order is ${state.status}`;
  return [
    `${so}; what must come next does not fit:`,
    ...next
      .filter(({ answer }) => answer.kind !== 'unknown')
      .map((step) => `${inWords(step.by)}: the answer would be ${answerOn(state, step)}`),
  ];
}

function answerOn(state: OrderState, { request }: Step): string {
  const { reason, next } = ask(state, request);
  if (reason !== undefined) return reason;
  if (request.kind !== 'get' || next.status === 'none') return 'accepted';
  const { status, petId, quantity, shipDate } = next;
  const date = shipDate === undefined ? 'without a date' : `with the date ${shipDate}`;
  return `a ${status} order for ${quantity} of pet ${petId}, ${date}`;
}
