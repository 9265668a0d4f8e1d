import type { Interval, Specification } from '../linearizability/wing-gong.ts';
import type { Domain } from './domain.ts';
import { plainValue, WatchedDecider } from './form.ts';
import type { Step } from './program.ts';
import { outcomeOf } from './run.ts';
import type { Told } from './target.ts';
import { asText, isSame } from './text.ts';

/** An aggregate as a sequential object: what each call of a history can have been answered. */

/** A call of a client, with its answer. Moments are counted, not timed. */
export interface Call<Command, Event> extends Interval {
  readonly client: number;
  readonly asked: Exclude<Step<Command>, { do: 'restart' }>;
  readonly answer:
    | Told<Event>
    | { readonly kind: 'seen'; readonly view: unknown }
    /** The recorded events, read after all calls. */
    | { readonly kind: 'recorded'; readonly events: readonly Event[] }
    | { readonly kind: 'unknown'; readonly why: string };
}

/** What is known of an aggregate between two calls. */
export interface Known<State> {
  readonly state: State;
  /** The number of its events. */
  readonly version: number;
}

/**
 * Returns the specification of an aggregate, by its model.
 * @param recorded The events that were recorded in the end, if they are known: those of each call must be
 *   the next ones.
 */
export function specificationOf<State, Command, Event>(
  domain: Domain<State, Command, Event>,
  recorded?: readonly Event[],
): Specification<Known<State>, Call<Command, Event>> {
  const model = new WatchedDecider('the model', domain.model);
  return {
    initial: { state: model.initial, version: 0 },
    after: (known, call) => afterCall(domain, model, known, call, recorded),
    keyOf: asText,
    staysIdle: (_, { answer: { kind } }) => kind !== 'accepted' && kind !== 'unknown',
  };
}

function afterCall<State, Command, Event>(
  domain: Domain<State, Command, Event>,
  model: WatchedDecider<State, Command, Event>,
  known: Known<State>,
  { asked, answer }: Call<Command, Event>,
  recorded: readonly Event[] | undefined,
): Known<State> | undefined {
  const { state, version } = known;
  if (answer.kind === 'recorded') {
    const { events } = answer;
    const isWhole = events.length === version && isSame(model.rebuild(events), state);
    return isWhole ? known : undefined;
  }
  if (answer.kind === 'seen') {
    const due = plainValue("what the domain's view returns", domain.view?.(state));
    return isSame(due, answer.view) ? known : undefined;
  }
  if (asked.do === 'look') return known;
  const { decision, state: next } = model.step("the model's decision", asked.command, state);
  const events = decision.kind === 'accepted' ? decision.events : [];
  const after: Known<State> = { state: next, version: version + events.length };
  const isRecorded = isAbsentOrSame(recorded?.slice(version, after.version), events);
  if (!isRecorded) return undefined;
  if (answer.kind === 'unknown') return after;
  if (outcomeOf(decision) !== outcomeOf(answer)) return undefined;
  if (answer.kind === 'rejected') return after;
  const isTold =
    isAbsentOrSame(answer.events, events) && isAbsentOrSame(answer.version, after.version);
  return isTold ? after : undefined;
}

function isAbsentOrSame(actual: unknown, expected: unknown): boolean {
  return actual === undefined || isSame(actual, expected);
}
