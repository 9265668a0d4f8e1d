import { type Epochs, inWords } from '../epochs.ts';
import type { ExpectedHead, Finding } from './trail-check.ts';
import type { Checkpoint } from './verifier.ts';

/** The roots that a log must have had where it was cut, by the statements of its breaks. */
export function headsOfBreaks({ breaks }: Epochs): readonly ExpectedHead[] {
  return breaks.map(({ epoch, position, root }) => ({
    name: `the statement of epoch ${epoch}`,
    size: position,
    root: Buffer.from(root, 'base64'),
  }));
}

/**
 * Returns what a signed checkpoint says of a log that has been in some epochs. One that reaches
 * beyond the end of its own epoch may have another root than the log now: then the break answers it.
 */
export function headIn(epochs: Epochs, name: string, checkpoint: Checkpoint): ExpectedHead {
  const { epoch, size, root } = checkpoint;
  const head = { name, size, root };
  const end = epochs.endOf(epoch);
  if (end !== undefined) {
    if (size <= end.position) return head;
    const problem = `${name} was signed in epoch ${epoch}, and ${inWords(end)}`;
    return { ...head, cut: { from: end.position + 1, problem } };
  }
  if (epochs.has(epoch)) return head;
  return { ...head, cut: cutBefore(epochs, name, checkpoint) };
}

/**
 * Finds fault with a checkpoint of an epoch that the log has never been in, and of which no break says
 * that it was lost, even where the log has that root: a statement is missing, or it is another log.
 */
export function strangerIn(
  epochs: Epochs,
  name: string,
  checkpoint: Checkpoint,
): Finding | undefined {
  const { epoch, size } = checkpoint;
  const isKnown = epochs.has(epoch) || epochs.breaks.some(({ known }) => known?.epoch === epoch);
  return isKnown ? undefined : { ...cutBefore(epochs, name, checkpoint), to: size };
}

function cutBefore(epochs: Epochs, name: string, { epoch, size }: Checkpoint) {
  const last =
    epochs.breaks.findLast(({ known }) => known?.epoch === epoch) ?? epochs.breaks.at(-1);
  const why = last === undefined ? '' : `: ${inWords(last)}`;
  const problem = `${name} was signed in epoch ${epoch}, which is none of this log${why}`;
  return { from: Math.min((last?.position ?? 0) + 1, size), problem };
}
