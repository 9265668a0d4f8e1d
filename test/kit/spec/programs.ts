import type { ItfTrace } from '../aggregate/itf.ts';
import type { Program, Step } from '../program.ts';
import {
  ABSENT,
  type Decided,
  type Happening,
  happeningsOf,
  type SpecCommand,
} from './orders-trace.ts';

/** The animal and the quantity of every order: the specification has neither. */
export const PLACED = { petId: 7n, quantity: 1 } as const;

/**
 * Returns the commands of a trace of orders.qnt as a program, for any target: those that were carried
 * out or refused by themselves, lists, and crashes as restarts. A program has one client and no keys, so
 * repeated requests and batches that were refused as a whole are left out.
 */
export function orderProgramOf(trace: ItfTrace): Program {
  const done = happeningsOf(trace).flatMap(stepsOf);
  const placed = done.filter((step) => step.do === 'place').length;
  // Names have no gaps: the order that is never placed is the last one.
  const nameOf = (order: number) => (order === ABSENT ? placed : order - 1);
  let newest = ABSENT;
  const steps = done.map((step): Step => {
    if (step.do === 'list' || step.do === 'restart') return step;
    if (step.do !== 'place') return { ...step, order: nameOf(step.order) };
    newest += 1;
    return { do: 'place', order: nameOf(newest), ...PLACED };
  });
  return { ids: Array.from({ length: placed + 1 }, (_, index) => BigInt(index + 1)), steps };
}

type Other = Extract<Step, { do: 'list' | 'restart' }>;

function stepsOf(happening: Happening): readonly (SpecCommand | Other)[] {
  if (happening.kind === 'crashed') return [{ do: 'restart' }];
  if (happening.kind === 'listed') return [{ do: 'list' }];
  return happening.requests.filter(isCarriedOut).flatMap(({ request }) => request.commands);
}

function isCarriedOut({ isRepeat, outcomes }: Decided): boolean {
  return !isRepeat && !outcomes.some((it) => it.kind === 'refused' && it.code === 'batch_refused');
}
