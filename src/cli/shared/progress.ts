/** The progress of long work, on standard error. */

import type { Output } from './command-line.ts';

/** The interval between lines of progress, without a terminal to draw on. */
const LINE_INTERVAL_MS = 2_000;

export type Advance = (done: number) => void;

/**
 * Shows the progress of long work: as a bar on a terminal, which is removed when the work ends;
 * elsewhere as a line now and then.
 * @param total The amount of work; 0 if it is not known, as of a pipe.
 * @param unit The unit of the rate to be shown; absent: no rate is shown.
 */
export async function withProgress<Result>(
  output: Output,
  label: string,
  total: number,
  work: (advance: Advance) => Promise<Result>,
  unit?: string,
): Promise<Result> {
  const speed = unit === undefined ? () => '' : speedometer(unit);
  if (!output.isTTY || total === 0) return work(linesNowAndThen(output, label, total, speed));
  // Loaded only where there is a terminal to draw on.
  const { SingleBar } = await import('cli-progress');
  const bar = new SingleBar({
    stream: output,
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

/** Returns the rate, in words, for an amount of work done so far. */
type Speed = (done: number) => string;

function speedometer(unit: string): Speed {
  const begun = performance.now();
  return (done) => {
    const perSecond = (done / Math.max(1, performance.now() - begun)) * 1_000;
    return `, ${Math.round(perSecond).toLocaleString('en')} ${unit}/s`;
  };
}

function linesNowAndThen(output: Output, label: string, total: number, speed: Speed): Advance {
  let next = performance.now() + LINE_INTERVAL_MS;
  return (done) => {
    if (performance.now() < next) return;
    next = performance.now() + LINE_INTERVAL_MS;
    const share = total > 0 ? `${Math.floor((done / total) * 100)} %` : 'under way';
    output.write(`${label}: ${share}${speed(done)}\n`);
  };
}
