/** The band over a view of the past: the moment, and the way back to now. */
import { Link } from '../parts/controls.tsx';
import { zone } from '../parts/device.ts';
import type { Route } from '../state/routes.ts';
import { countText, timeText, zoneName } from '../state/times.ts';

interface PastProps {
  readonly position: number;
  /** The time of the event at the position; absent before the first one. */
  readonly at: string | undefined;
  /** The same view, as of now. */
  readonly now: Route;
}

export function PastBand({ position, at, now }: PastProps) {
  return (
    <p class="band past" role="status">
      <b>This is the past:</b> position {countText(position)}
      {at === undefined ? (
        ', before the first event'
      ) : (
        <>
          , {timeText(at, zone.value)} {zoneName(zone.value)}
        </>
      )}
      . Nothing can be changed here. <Link to={now}>Back to now</Link>
    </p>
  );
}
