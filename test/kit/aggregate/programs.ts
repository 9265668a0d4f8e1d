import { Arbitrary, type Random, Stream, Value } from 'fast-check';
import { requireCounts } from '../numbers.ts';
import type { Commands } from './domain.ts';
import { type Name, type Program, requireKinds, type Step } from './program.ts';
import { type StepLanguage, simplerSteps } from './simpler.ts';

export interface ProgramOptions {
  /** The maximum number of steps of a program; default 20. */
  readonly maxSteps?: number;
  /** The maximum number of aggregates in a program; default 3. Few, so that steps conflict. */
  readonly maxAggregates?: number;
  /** The kinds of steps; default all but restarts. */
  readonly does?: readonly Step<unknown>['do'][];
}

/** The relative frequency of each kind of step. */
const WEIGHTS: Readonly<Record<Step<unknown>['do'], number>> = { command: 8, look: 2, restart: 1 };

/**
 * In one program of so many, the ids of all aggregates begin with that of the first one: loan-1, loan-10, loan-11.
 */
const ALIKE_EVERY = 8;
const ALIKE_AFTER = 8;

/** Draws programs, which shrink to the fewest steps first, then the fewest aggregates, then plain values. */
export class Programs<Command> extends Arbitrary<Program<Command>> {
  readonly #domain: Commands<Command>;
  readonly #maxSteps: number;
  readonly #maxAggregates: number;
  readonly #does: readonly Step<unknown>['do'][];
  readonly #language: StepLanguage<Step<Command>>;

  constructor(
    domain: Commands<Command>,
    { maxSteps = 20, maxAggregates = 3, does = ['command', 'look'] }: ProgramOptions,
  ) {
    super();
    requireCounts({ maxSteps, maxAggregates, 'the number of kinds in does': does.length });
    requireKinds(does);
    this.#domain = domain;
    this.#maxSteps = maxSteps;
    this.#maxAggregates = maxAggregates;
    this.#does = does.flatMap((each) => Array<Step<unknown>['do']>(WEIGHTS[each]).fill(each));
    this.#language = new DomainSteps(domain);
  }

  override generate(random: Random, bias: number | undefined): Value<Program<Command>> {
    const aggregates = random.nextInt(1, this.#maxAggregates);
    const areAlike = random.nextInt(1, ALIKE_EVERY) === 1;
    const length = random.nextInt(1, this.#maxSteps);
    const steps = Array.from({ length }, () => {
      const on = random.nextInt(0, aggregates - 1);
      return this.#step(random, bias, areAlike && on > 0 ? on + ALIKE_AFTER : on);
    });
    return new Value({ steps }, undefined);
  }

  override canShrinkWithoutContext(value: unknown): value is Program<Command> {
    return typeof value === 'object' && value !== null && 'steps' in value;
  }

  override shrink({ steps }: Program<Command>): Stream<Value<Program<Command>>> {
    const simpler = new Stream(simplerSteps(this.#language, steps));
    return simpler.map((fewer) => new Value({ steps: fewer }, undefined));
  }

  #step(random: Random, bias: number | undefined, on: Name): Step<Command> {
    const what = this.#does[random.nextInt(0, this.#does.length - 1)] as Step<Command>['do'];
    if (what === 'restart') return { do: what };
    if (what === 'look') return { do: what, on };
    const drawn = this.#domain.commands.generate(random, bias);
    return remembered({ do: what, on, command: drawn.value }, drawn);
  }
}

/** The values of commands as fast-check drew them, by their steps: it shrinks these only. */
const drawnAs = new WeakMap<object, Value<unknown>>();

function remembered<Command>(step: Step<Command>, drawn: Value<Command>): Step<Command> {
  drawnAs.set(step, drawn);
  return step;
}

/** The steps of a domain, as shrinking sees them. */
class DomainSteps<Command> implements StepLanguage<Step<Command>> {
  readonly #domain: Commands<Command>;

  constructor(domain: Commands<Command>) {
    this.#domain = domain;
  }

  nameOf(step: Step<Command>) {
    return step.do === 'restart' ? undefined : step.on;
  }

  renamed(step: Step<Command>, on: number): Step<Command> {
    const drawn = drawnAs.get(step) as Value<Command> | undefined;
    const renamed = { ...step, on } as Step<Command>;
    return drawn === undefined ? renamed : remembered(renamed, drawn);
  }

  *plainer(step: Step<Command>): IterableIterator<Step<Command>> {
    if (step.do !== 'command') return;
    if (this.#domain.plainer !== undefined) {
      for (const command of this.#domain.plainer(step.command)) yield { ...step, command };
      return;
    }
    const drawn = drawnAs.get(step) as Value<Command> | undefined;
    if (drawn === undefined) return;
    for (const value of this.#domain.commands.shrink(drawn.value_, drawn.context)) {
      yield remembered({ ...step, command: value.value }, value);
    }
  }
}
