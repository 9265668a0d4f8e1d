import { TILE_HASHES } from '../../../src/app/log/merkle-proofs.ts';
import { pathOf, type TilePlace } from '../../../src/app/log/tiles.ts';
import type { PagesOrder, PagesSeen } from '../clients/pages.ts';
import { mainThreadCpu } from '../linux.ts';
import { runProgram } from '../processes.ts';
import { interleave } from '../rounds.ts';
import { atMost, figure, judge, median, percentile, type Row } from '../row.ts';
import { countOf, type Scenario } from '../scenario.ts';
import { BEARER, type Product, startProduct } from '../servers.ts';

/** Tiles are got in an order in which no two neighbours follow each other: a prime number apart. */
const STEP_TILES = 1_009;
/** More than any cache of the service holds. */
const MAX_TILES = 1_000;

/** The time to the last byte of a tile, as a tool of transparency logs reads them one by one. */
export const tiles: Scenario = {
  name: 'tiles',
  isQuick: false,
  steps: () => 3,
  async run(bench, advance) {
    const store = await bench.stores.pending(bench.orders);
    await using product = await startProduct(store);
    const kinds = [
      ['hashes of leaves', placesAt(0, store.head)],
      ['hashes above them', placesAt(1, store.head)],
      ['entries', placesAt('entries', store.head)],
    ] as const;
    const contenders = kinds.map(([, places]) => ({
      measure: () => measure(product, places, bench.seconds / 2),
    }));
    // The first round is a warm-up.
    const rounds = await interleave(contenders, bench.rounds + 1, () => undefined);
    return kinds.map(([what], index) => {
      advance();
      return rowOf(`tiles, ${countOf(bench.orders)}: ${what}`, (rounds[index] ?? []).slice(1));
    });
  },
};

/** Returns tiles from all over a level. The last one may be partial. */
function placesAt(level: TilePlace['level'], size: number): readonly TilePlace[] {
  const hashes = Math.floor(size / (level === 1 ? TILE_HASHES : 1));
  const count = Math.ceil(hashes / TILE_HASHES);
  const stride = count % STEP_TILES === 0 ? 1 : STEP_TILES;
  return Array.from({ length: Math.min(count, MAX_TILES) }, (_, at) => {
    const index = (at * stride) % count;
    return { level, index, width: Math.min(TILE_HASHES, hashes - index * TILE_HASHES) };
  });
}

interface Measured extends PagesSeen {
  /** CPU time of the server's main thread for a tile, in microseconds. */
  readonly cpu: number;
}

async function measure(
  product: Product,
  places: readonly TilePlace[],
  seconds: number,
): Promise<Measured> {
  const order: PagesOrder = {
    urls: places.map((place) => `${product.address}/tlog/tile/${pathOf(place)}`),
    headers: { ...BEARER, 'Accept-Encoding': 'identity' },
    seconds,
  };
  const before = mainThreadCpu(product.pid) ?? Number.NaN;
  const { latencies } = await runProgram<PagesSeen>('clients/pages', order, seconds + 60);
  const after = mainThreadCpu(product.pid) ?? Number.NaN;
  return { latencies, cpu: (after - before) / latencies.length };
}

function rowOf(name: string, rounds: readonly Measured[]): Row {
  const latencies = rounds.flatMap((round) => round.latencies);
  const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
  const target = atMost(5, 2);
  return {
    name: `${name}: p99`,
    measured: `${figure(p99)} ms`,
    reference: `p50: ${figure(p50)} ms`,
    value: p99,
    unit: ' ms',
    target,
    cpu: figure(median(rounds.map(({ cpu }) => cpu))),
    verdict: judge(p99, target),
    samples: { measured: latencies },
  };
}
