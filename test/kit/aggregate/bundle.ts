import type { TurnLimits } from '../linearizability/wing-gong.ts';
import { closing } from './closing.ts';
import type { Domain } from './domain.ts';
import { requireMethods } from './form.ts';
import { inLines, judge } from './judging.ts';
import { HOW_TO_LOSE } from './lost.ts';
import type { Program } from './program.ts';
import { Progress } from './progress.ts';
import { type Mistake, Recording } from './recording.ts';
import { onLines, replayOf, thrownBy } from './script.ts';
import { simplerBundles } from './simpler.ts';
import type { Call } from './specification.ts';
import type { Target } from './target.ts';
import { copyOf } from './text.ts';
import { cutAfter, NoAnswer, orLate, type TimeLimit } from './time-limit.ts';
import { brokenBy, causeIn, Violation } from './violation.ts';

/** One round of concurrent clients, and its shrinking. */

/** Programs that run at once, each by a client of its own. */
export type Bundle<Command> = readonly Program<Command>[];

interface Broken {
  /** The violation in words. */
  readonly text: string;
  /** What the target threw, if that is the violation. */
  readonly cause?: unknown;
  /** The number of steps that each client has begun. */
  readonly begun: readonly number[];
  /** True if a call has not ended: shrinking would wait for it again and again. */
  readonly isHanging: boolean;
}

export interface Round {
  readonly calls: readonly Call<unknown, unknown>[];
  readonly isUndecided: boolean;
  readonly violation?: Broken | undefined;
  /** The first call that threw an error by which no answer was lost. */
  readonly mistake?: (Broken & Pick<Mistake, 'does'>) | undefined;
}

/** Runs programs at once on a new session, and judges their history. */
export async function runRound<State, Command, Event>(
  domain: Domain<State, Command, Event>,
  target: Target<Command, Event>,
  bundle: Bundle<Command>,
  limits: TurnLimits,
  time: TimeLimit,
): Promise<Round> {
  const progress = new Progress();
  let history: Recording<State, Command, Event> | undefined;
  const record = async () => {
    progress.calls('open');
    const session = await target.open();
    requireMethods('what open has returned', session, ['perform']);
    const recording = new Recording(domain, session, progress);
    history = recording;
    const closes = () => progress.calls('close');
    // A copy, as the target may change it in place, and the programs are shrunk and shown afterwards.
    await closing(session, () => recording.record(copyOf(bundle)), closes);
    return recording;
  };
  const place = () => (history?.pending.length ? undefined : progress.call);
  try {
    const recording = await time.ends(record(), place);
    const { calls, begun, mistake } = recording;
    progress.calls('the model');
    const found = await judge(domain, recording, limits);
    const shown = { calls, mistake: mistake && shownMistake(domain, recording, mistake) };
    if (found === 'undecided') return { ...shown, isUndecided: true };
    const violation = found && { text: found, begun, isHanging: false };
    return { ...shown, isUndecided: false, ...(violation && { violation }) };
  } catch (error) {
    const broken = brokenBy(error);
    const isHanging = error instanceof NoAnswer;
    const calls = [...(history?.calls ?? [])];
    const shown = [...calls, ...(isHanging ? (history?.pending ?? []) : [])];
    const lines = [
      broken.detail,
      ...inLines(domain, { calls: shown, restarted: history?.restarted }),
    ];
    const isThrown = !(error instanceof Violation || isHanging);
    if (isThrown && progress.call !== undefined) lines.push(thrownBy(progress.call));
    const begun = [...(history?.begun ?? bundle.map(() => 0))];
    const cause = isHanging ? {} : causeIn(broken);
    const violation = { text: lines.join('\n'), ...cause, begun, isHanging };
    return { calls, isUndecided: false, violation };
  }
}

function shownMistake<State, Command, Event>(
  domain: Domain<State, Command, Event>,
  history: Recording<State, Command, Event>,
  { does, cause }: Mistake,
) {
  const { detail } = brokenBy(cause);
  const lines = [`a ${does} throws: ${detail}`, ...inLines(domain, history), HOW_TO_LOSE];
  return { does, text: lines.join('\n'), cause, begun: history.begun, isHanging: false };
}

/** Programs with a violation. */
export type Violated<Command> = Broken & { readonly bundle: Bundle<Command> };

const SHRINK_MS = 1_000;
/** A smaller bundle may need the right moments: it is tried several times. */
const TRIES = 5;

/** Returns the violation of the smallest bundle that is found to have one, with the options that repeat it. */
export async function shrunk<Command>(
  found: Violated<Command>,
  simpler: (part: Program<Command>) => Iterable<Program<Command>>,
  run: (bundle: Bundle<Command>) => Promise<Round>,
  {
    shrinkMs = SHRINK_MS,
    signal,
  }: { readonly shrinkMs?: number; readonly signal?: AbortSignal | undefined },
) {
  const end = performance.now() + shrinkMs;
  let isCut = false;
  const isOver = () => {
    isCut = performance.now() >= end;
    return isCut || signal?.aborted === true;
  };
  const smaller = async ({ bundle }: Violated<Command>): Promise<Violated<Command> | undefined> => {
    for (const candidate of simplerBundles(bundle, simpler)) {
      for (let tried = 0; tried < TRIES; tried += 1) {
        if (isOver()) return undefined;
        const round = await inTime(run(candidate), end);
        const violation = round?.violation ?? round?.mistake;
        if (violation?.isHanging) return undefined;
        if (violation !== undefined) return { bundle: candidate, ...violation };
      }
    }
    return undefined;
  };
  let smallest = found;
  let next = found.isHanging ? undefined : await smaller(found);
  for (; next !== undefined; next = await smaller(next)) smallest = next;
  const { bundle, text, begun } = smallest;
  // Without the steps that never ran.
  const programs = bundle.map(({ steps }, client) => steps.slice(0, begun[client]));
  const replay = replayOf(programs.map((steps) => `{ steps: ${onLines(steps)} }`).join(', '));
  const cut = isCut ? [`(${cutAfter(shrinkMs)})`] : [];
  return { violation: [text, ...cut].join('\n'), replay, ...causeIn(smallest) };
}

/** Returns the result of a round; undefined if it takes too long, as one that hangs does. */
async function inTime(round: Promise<Round>, end: number): Promise<Round | undefined> {
  const late = () => new NoAnswer();
  return orLate(round, Math.max(0, end - performance.now()), late).catch(() => undefined);
}
