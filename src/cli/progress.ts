import { SingleBar } from 'cli-progress';
import type { Output } from './command-line.ts';

/** How often progress is told where there is no terminal to draw on, in milliseconds. */
const EVERY = 2_000;

/** Is told how much is done by now. */
export type Advance = (done: number) => void;

/**
 * Shows how far a long piece of work has come: as a bar on a terminal, which goes when the work
 * ends, however it ends; elsewhere as a line now and then.
 */
export function withProgress<Result>(
  output: Output,
  label: string,
  total: number,
  work: (advance: Advance) => Promise<Result>,
): Promise<Result> {
  return output.isTTY
    ? withBar(output, label, total, work)
    : work(linesNowAndThen(output, label, total));
}

async function withBar<Result>(
  stream: Output,
  label: string,
  total: number,
  work: (advance: Advance) => Promise<Result>,
): Promise<Result> {
  const bar = new SingleBar({
    stream,
    format: `${label} {bar} {percentage} %, {eta_formatted} left`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    clearOnComplete: true,
  });
  bar.start(total, 0);
  try {
    return await work((done) => bar.update(done));
  } finally {
    bar.stop();
  }
}

function linesNowAndThen(output: Output, label: string, total: number): Advance {
  let next = Date.now() + EVERY;
  return (done) => {
    if (Date.now() < next) return;
    next = Date.now() + EVERY;
    output.write(`${label}: ${Math.floor((done / total) * 100)} %\n`);
  };
}
