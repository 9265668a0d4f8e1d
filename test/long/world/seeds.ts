import { hash } from 'node:crypto';
import fc from 'fast-check';
import { shrinkingFor } from '../../kit/aggregate/time-limit.ts';
import { type Scenario, scenarios } from './scenario.ts';
import type { WorldState } from './states.ts';
import { type PartFault, runWorld } from './world.ts';

/** Runs the worlds of seeds, one after another, and shrinks the first that breaks a rule. */

interface Found {
  readonly seed: number;
  /** The first broken rule of the shortest scenario that was found. */
  readonly broken: string;
  /** Everything that happens in it. */
  readonly story: readonly string[];
}

export interface Searched {
  readonly worlds: number;
  readonly happenings: number;
  /** The number of worlds that reached a state. */
  readonly reached: Map<WorldState, number>;
  /** A hash over all traces: the same seeds have the same. */
  readonly digest: string;
  readonly found?: Found;
}

/**
 * @param shrinkMs The longest time for which a failing scenario is shrunk.
 * @param fault A fault that the search should find; none: `{}`.
 * @param advance Called after each world.
 */
export async function search(
  seeds: Iterable<number>,
  shrinkMs: number,
  fault: PartFault,
  advance: () => void,
): Promise<Searched> {
  const reached = new Map<WorldState, number>();
  let [worlds, happenings, digest] = [0, 0, ''];
  for (const seed of seeds) {
    let first: Awaited<ReturnType<typeof runWorld>> | undefined;
    const found = await searchOne(seed, shrinkMs, async (scenario) => {
      const told = await runWorld(scenario, fault);
      first ??= told;
      return told;
    });
    worlds += 1;
    happenings += first?.trace.length ?? 0;
    digest = hash('sha256', [digest, ...(first?.trace ?? [])].join('\n'));
    for (const state of first?.reached ?? []) reached.set(state, (reached.get(state) ?? 0) + 1);
    advance();
    if (found !== undefined) return { worlds, happenings, reached, digest, found };
  }
  return { worlds, happenings, reached, digest };
}

async function searchOne(
  seed: number,
  shrinkMs: number,
  run: (scenario: Scenario) => ReturnType<typeof runWorld>,
): Promise<Found | undefined> {
  let last: Omit<Found, 'seed'> | undefined;
  const shrinking = shrinkingFor(shrinkMs);
  const property = fc.asyncProperty(scenarios, async (scenario: Scenario) => {
    shrinking.continues();
    const { broken, trace } = await run(scenario);
    const [rule] = broken;
    if (rule === undefined) return;
    shrinking.begins();
    // Of the scenarios that fail, fast-check goes on with the last one.
    last = { broken: rule, story: trace };
    throw new Error(rule);
  });
  await fc.check(property, { seed, numRuns: 1 });
  return last && { seed, ...last };
}
