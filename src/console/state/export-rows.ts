/** The events of a verified export as rows, which are read from the file as they come into view. */
import { type ExportIndex, PART_EVENTS } from './export-check.ts';
import { FileChanged } from './problem.ts';
import { DenseRows, type Rows } from './rows.ts';

export interface ExportedEvent {
  readonly position: number;
  readonly type: string;
  readonly time: string;
  /** The id of its order. */
  readonly subject: string;
  readonly by: string;
  readonly keyname?: string;
}

/** Returns the rows of an export. A part of the file that is no longer as it was checked is refused. */
export function exportRows({ file, events, offsets, end }: ExportIndex): Rows<ExportedEvent> {
  return new DenseRows(events, PART_EVENTS, async (first) => {
    const part = first / PART_EVENTS;
    try {
      // A browser refuses to read a file that has changed since it was chosen.
      const text = await file.slice(offsets[part], offsets[part + 1] ?? end).text();
      return text
        .trimEnd()
        .split('\n')
        .map((line, index) => eventIn(line, first + index + 1));
    } catch {
      throw new FileChanged();
    }
  });
}

/** Throws if the line is not the event of the position. */
function eventIn(line: string, position: number): ExportedEvent {
  // Only the positions and versions in a line are numbers.
  const event: ExportedEvent = JSON.parse(line);
  if (event.position !== position) throw new Error('a line is not where it was');
  return event;
}
