import { mainThreadCpu } from './linux.ts';
import type { Load, LoadGenerator, Requests, Seen } from './load.ts';
import { figure, judge, median, medianRatio, type Row, type Target } from './row.ts';
import type { Server } from './servers.ts';

/** Something that is measured once a round. */
export interface Contender<Result> {
  measure(): Promise<Result>;
}

/** Is told of each step that is done. */
export type Advance = () => void;

/**
 * Measures every contender once a round, each round beginning with another one: whatever else the
 * machine does meanwhile falls on all of them alike.
 */
export async function interleave<Result>(
  contenders: readonly Contender<Result>[],
  rounds: number,
  advance: Advance,
): Promise<Result[][]> {
  const results: Result[][] = contenders.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      const index = (round + turn) % contenders.length;
      const result = await (contenders[index] as Contender<Result>).measure();
      results[index]?.push(result);
      advance();
    }
  }
  return results;
}

/** What one load on one server brought. */
export interface Measured extends Seen {
  /** Answers a second. */
  readonly rate: number;
  /** CPU time of the server's main thread for an answer, in microseconds. */
  readonly cpu: number | undefined;
}

/** Sends a load and watches the server's main thread meanwhile. */
export async function measureLoad(
  generator: LoadGenerator,
  server: Server,
  requests: Requests,
  load: Load,
): Promise<Measured> {
  const before = mainThreadCpu(server.pid);
  const seen = await generator.send(server, requests, load);
  const after = mainThreadCpu(server.pid);
  const requestCount = seen.answered + seen.failed;
  const cpu =
    before === undefined || after === undefined ? undefined : (after - before) / requestCount;
  return { ...seen, rate: seen.answered / seen.seconds, cpu };
}

/** A server's name, and what its rounds brought. */
export interface Series {
  readonly name: string;
  readonly rounds: readonly Measured[];
  /** Another measure of speed than answers a second. */
  readonly rateOf?: (measured: Measured) => number;
}

/** The row that compares the rates of two servers. */
export function compareRates(
  name: string,
  measured: Series,
  reference: Series,
  target?: Target,
): Row {
  const rates = ratesOf(measured);
  const references = ratesOf(reference);
  const value = medianRatio(rates, references);
  return {
    name,
    measured: `${figure(median(rates))}/s`,
    reference: `${reference.name}: ${figure(median(references))}/s`,
    value,
    unit: '×',
    ...(target === undefined ? {} : { target }),
    verdict: judge(value, target),
    cpu: `${cpuOf(measured)} / ${cpuOf(reference)}`,
    ...noteOn(reference),
    samples: { measured: rates, reference: references },
  };
}

function ratesOf({ rounds, rateOf = ({ rate }) => rate }: Series): number[] {
  return rounds.map(rateOf);
}

function cpuOf({ rounds }: Series): string {
  const known = rounds.map(({ cpu }) => cpu).filter((cpu) => cpu !== undefined);
  return known.length === 0 ? '–' : figure(median(known));
}

// A failed answer of the product fails the bench; one of somebody else is worth a note.
function noteOn({ name, rounds }: Series): { note?: string } {
  const failed = rounds.reduce((sum, round) => sum + round.failed, 0);
  const asked = rounds.reduce((sum, round) => sum + round.failed + round.answered, 0);
  if (failed === 0) return {};
  return { note: `${name} failed ${figure((failed / asked) * 100)} % of its requests` };
}
