/** The columns of the list. */

import type { PackedList } from '../log/packed-fold.ts';
import { Column } from './column.ts';
import { Int64Column } from './int64-column.ts';

/** One entry for each order, at its slot in the image. */
export interface ListColumns {
  readonly ids: Int64Column;
  readonly petIds: Int64Column;
  readonly quantities: Column;
  /** The date on which it was expected to ship, in milliseconds since 1970; NaN if unknown. */
  readonly expectedDates: Column;
}

/** Returns the columns of a list that was packed, or of an empty one. */
export function listColumns(packed?: PackedList['columns']): ListColumns {
  return {
    // Ids that count up differ from their slots by the same number each.
    ids: new Int64Column(packed?.ids, 1),
    petIds: new Int64Column(packed?.petIds),
    quantities: new Column(packed?.quantities),
    expectedDates: new Column(packed?.expectedDates, 'sparse'),
  };
}
