import fc, { type Arbitrary } from 'fast-check';
import type { Domain } from './domain.ts';
import { plainValue, WatchedDecider } from './form.ts';
import { asText, isSame } from './text.ts';

/** Histories of one aggregate: those that its model can have recorded, and those that it cannot. */

/** A violation of a history: the rule, and the index of the violating event, from 0. */
export interface BrokenRule {
  /** The model's reason to refuse the command that records the event, or one of {@link HISTORY_RULES}. */
  readonly rule: string;
  readonly at: number;
}

/** The rules of every history, beside the model's reasons. */
export const HISTORY_RULES = {
  change: 'an event is recorded only if something changes',
  whole: 'the events of one command are recorded together',
} as const;

export interface IllegalHistory<Event> extends BrokenRule {
  readonly events: readonly Event[];
}

/** Returns the first violation in a history, if there is one. */
export function brokenRule<State, Command, Event>(
  { model: decider, causeOf }: Domain<State, Command, Event>,
  events: readonly Event[],
): BrokenRule | undefined {
  const model = new WatchedDecider('the model', decider);
  /** What the command of an earlier event has still to record. */
  let due: readonly Event[] = [];
  for (const [at, event] of events.entries()) {
    if (due.length > 0) {
      if (!isSame(event, due[0])) return { rule: HISTORY_RULES.whole, at };
      due = due.slice(1);
      continue;
    }
    const cause = plainValue('what causeOf returns', causeOf(event));
    const decision = model.decide("the model's decision", cause, events.slice(0, at));
    if (decision.kind === 'rejected') return { rule: decision.reason, at };
    if (!isSame(decision.events[0], event)) return { rule: HISTORY_RULES.change, at };
    due = decision.events.slice(1);
  }
  return due.length > 0 ? { rule: HISTORY_RULES.whole, at: events.length - 1 } : undefined;
}

/** Draws the events that the model records for arbitrary commands to one aggregate. */
export function legalHistories<State, Command, Event>(
  { commands, model: decider }: Domain<State, Command, Event>,
  maxCommands: number,
): Arbitrary<readonly Event[]> {
  const model = new WatchedDecider('the model', decider);
  return fc.array(commands, { maxLength: maxCommands }).map((given) => {
    const events: Event[] = [];
    for (const command of given) {
      const decision = model.decide("the model's decision", command, events);
      if (decision.kind === 'accepted') events.push(...decision.events);
    }
    return events;
  });
}

/** The most commands before the illegal event, and the most events after it. */
export const MAX_BEFORE = 12;
const MAX_AFTER = 5;
/** The most legal histories that are drawn one after the other for an illegal one. */
const MAX_LEGAL = 10_000;

/** Draws a legal history, then an illegal event, then any events. */
export function illegalHistories<State, Command, Event>(
  domain: Domain<State, Command, Event>,
): Arbitrary<IllegalHistory<Event>> {
  return illegal(legalHistories(domain, MAX_BEFORE), domain.events, (events, legal) => {
    const broken = brokenRule(domain, events.slice(0, legal)) ?? brokenRule(domain, events);
    if (broken === undefined || broken.at >= legal) return broken;
    const event = asText(events[broken.at]);
    throw new RangeError(
      `the model has recorded ${event}, and does not for the command that causeOf returns: ` +
        'an event that several commands record must show by which one it was',
    );
  });
}

/**
 * The same for histories of any kind, such as those of many aggregates.
 * @param broken Returns the first violation in events, the first `legal` of which have none.
 */
export function illegal<Event, Broken>(
  legal: Arbitrary<readonly Event[]>,
  event: Arbitrary<Event>,
  broken: (events: readonly Event[], legal: number) => Broken | undefined,
): Arbitrary<Broken & { readonly events: readonly Event[] }> {
  let legalOnes = 0;
  return fc
    .tuple(legal, event, fc.array(event, { maxLength: MAX_AFTER }))
    .map(([before, wrong, after]) => {
      // As a whole: the event may be the first one of a command, and those after it the rest.
      const events = [...before, wrong, ...after];
      const rule = broken(events, before.length);
      return rule && { ...rule, events };
    })
    .filter((history) => {
      legalOnes = history === undefined ? legalOnes + 1 : 0;
      if (legalOnes <= MAX_LEGAL) return history !== undefined;
      throw new RangeError(`no illegal history among ${MAX_LEGAL}: is every event possible?`);
    });
}
