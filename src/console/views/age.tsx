/** The time since an instant, which grows as it is looked at. */
import { present, zone } from '../parts/device.ts';
import { millisecondsOf } from '../state/clock.ts';
import { relativeText, timeText } from '../state/times.ts';

export function Age({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={timeText(at, zone.value)}>
      {relativeText(at, Math.max(present.value, millisecondsOf(at)))}
    </time>
  );
}
