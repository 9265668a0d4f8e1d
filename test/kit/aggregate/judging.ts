import { linearizeInTurns, type TurnLimits } from '../linearizability/wing-gong.ts';
import type { Commands, Domain } from './domain.ts';
import { letterOf } from './program.ts';
import { outcomeOf, printed } from './run.ts';
import { type Call, specificationOf } from './specification.ts';
import { asText } from './text.ts';

/** The judgement of a history of concurrent calls, and its calls in words. */

/** The calls of one round. */
export interface History<Command, Event> {
  readonly calls: readonly Call<Command, Event>[];
  /** The moment of the restart after all clients had ended, if there was one. */
  readonly restarted?: number | undefined;
}

/**
 * Returns a violation in words, if there is one. Aggregates are judged one by one: a history is
 * linearizable exactly if that of each object is (Herlihy and Wing, "Linearizability", ACM TOPLAS
 * 12(3), 1990).
 */
export async function judge<State, Command, Event>(
  domain: Domain<State, Command, Event>,
  { calls, restarted }: History<Command, Event>,
  limits: TurnLimits,
): Promise<string | 'undecided' | undefined> {
  let isUndecided = false;
  for (const name of new Set(calls.map(({ asked }) => asked.on))) {
    const own = calls.filter(({ asked }) => asked.on === name);
    const recorded = own.flatMap(({ answer }) => (answer.kind === 'recorded' ? [answer] : []));
    const object = specificationOf(domain, recorded.at(-1)?.events);
    const result = await linearizeInTurns(object, own, limits);
    if (result.found === undefined) isUndecided = true;
    if (result.found !== false) continue;
    const left = own.filter((call) => !result.longest.includes(call));
    return [
      `the calls of ${letterOf(name)} are not linearizable:`,
      ...inLines(domain, { calls: own, restarted }),
      `after ${result.longest.length} of them the state is ${asText(result.state.state)}, in version ${result.state.version}; what is left fits nowhere:`,
      ...inLines(domain, { calls: left }),
    ].join('\n');
  }
  return isUndecided ? 'undecided' : undefined;
}

/** Returns the calls in words, one a line. */
export function inLines<Command, Event>(
  domain: Commands<Command>,
  { calls, restarted = Infinity }: History<Command, Event>,
): readonly string[] {
  const first = calls.find(({ invoked }) => invoked > restarted);
  return calls.flatMap((call) => {
    const line = `  ${inWords(domain, call)}`;
    return call === first ? [`  [${restarted}] restart`, line] : [line];
  });
}

function inWords<Command, Event>(
  domain: Commands<Command>,
  { client, asked, answer, invoked, returned }: Call<Command, Event>,
): string {
  const what =
    asked.do === 'look' ? `${letterOf(asked.on)}: look` : printed(domain, asked.command, asked.on);
  return `[${invoked}, ${returned}] client ${client + 1}, ${what} → ${answerInWords(answer)}`;
}

function answerInWords<Command, Event>(answer: Call<Command, Event>['answer']): string {
  switch (answer.kind) {
    case 'seen':
      return asText(answer.view);
    case 'recorded':
      return `recorded ${asText(answer.events)}`;
    case 'unknown':
      return `no answer: ${answer.why}`;
    case 'accepted': {
      const { events, version } = answer;
      const told = [
        ...(events === undefined ? [] : [`events ${asText(events)}`]),
        ...(version === undefined ? [] : [`version ${version}`]),
      ];
      return [outcomeOf(answer), ...told].join(', ');
    }
    case 'rejected':
      return outcomeOf(answer);
  }
}
