import { mainThreadCpu } from './linux.ts';
import type { Load, LoadGenerator, Requests, Seen } from './load.ts';
import { figure, judge, median, medianRatio, type Row, type Target } from './row.ts';
import type { Server } from './servers.ts';

/** A contender, which is measured once a round. */
export interface Contender<Result> {
  measure(): Promise<Result>;
}

/** Called after each step. */
export type Advance = () => void;

/**
 * Measures every contender once a round, beginning each round with another one, so that other
 * activity of the machine affects all of them alike.
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

/** The result of one load on one server. */
export interface Measured extends Seen {
  /** Responses a second. */
  readonly rate: number;
  /** CPU time of the server's main thread per response, in microseconds. */
  readonly cpu: number | undefined;
}

/** Sends a load, and measures the server's main thread meanwhile. */
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

/** A server's name, and the results of its rounds. */
export interface Series {
  readonly name: string;
  readonly rounds: readonly Measured[];
  /** Another measure of speed than responses a second. */
  readonly rateOf?: (measured: Measured) => number;
}

/** Returns the row that compares the rates of two servers. */
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

// A failed response of the product fails the bench; one of another server is only noted.
function noteOn({ name, rounds }: Series): { note?: string } {
  const failed = rounds.reduce((sum, round) => sum + round.failed, 0);
  const asked = rounds.reduce((sum, round) => sum + round.failed + round.answered, 0);
  if (failed === 0) return {};
  return { note: `${name} failed ${figure((failed / asked) * 100)} % of its requests` };
}
