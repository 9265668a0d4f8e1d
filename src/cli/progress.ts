import { SingleBar } from 'cli-progress';
import type { Output } from './command-line.ts';

/** How often progress is told where there is no terminal to draw on. */
const EVERY_MS = 2_000;

/** Is told how much is done by now. */
export type Advance = (done: number) => void;

/**
 * Shows how far a long piece of work has come: as a bar on a terminal, which goes when the work
 * ends, however it ends; elsewhere as a line now and then.
 * @param total How much there is; 0 where that cannot be known, as of a pipe.
 * @param unit What is counted, where it is worth telling how many there are a second.
 */
export function withProgress<Result>(
  output: Output,
  label: string,
  total: number,
  work: (advance: Advance) => Promise<Result>,
  unit?: string,
): Promise<Result> {
  const speed = unit === undefined ? () => '' : speedometer(unit);
  return output.isTTY && total > 0
    ? withBar(output, label, total, work, speed)
    : work(linesNowAndThen(output, label, total, speed));
}

/** How fast it goes, put in words, given how much is done by now. */
type Speed = (done: number) => string;

function speedometer(unit: string): Speed {
  const begun = performance.now();
  return (done) => {
    const perSecond = (done / Math.max(1, performance.now() - begun)) * 1_000;
    return `, ${Math.round(perSecond).toLocaleString('en')} ${unit}/s`;
  };
}

async function withBar<Result>(
  stream: Output,
  label: string,
  total: number,
  work: (advance: Advance) => Promise<Result>,
  speed: Speed,
): Promise<Result> {
  const bar = new SingleBar({
    stream,
    format: `${label} {bar} {percentage} %, {eta_formatted} left{speed}`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    clearOnComplete: true,
  });
  bar.start(total, 0, { speed: '' });
  try {
    return await work((done) => bar.update(done, { speed: speed(done) }));
  } finally {
    bar.stop();
  }
}

function linesNowAndThen(output: Output, label: string, total: number, speed: Speed): Advance {
  let next = performance.now() + EVERY_MS;
  return (done) => {
    if (performance.now() < next) return;
    next = performance.now() + EVERY_MS;
    const share = total > 0 ? `${Math.floor((done / total) * 100)} %` : 'under way';
    output.write(`${label}: ${share}${speed(done)}\n`);
  };
}
