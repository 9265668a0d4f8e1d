/** The events of a verified export as rows, which are read from the file as they come into view. */
import { type ExportIndex, PART_EVENTS } from './export-check.ts';
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

export function exportRows({ file, events, offsets, end }: ExportIndex): Rows<ExportedEvent> {
  return new DenseRows(events, PART_EVENTS, async (first) => {
    const part = first / PART_EVENTS;
    const text = await file.slice(offsets[part], offsets[part + 1] ?? end).text();
    // Only the positions and versions in a line are numbers.
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as ExportedEvent);
  });
}
