/** The time since an instant, which grows as it is looked at. */
import { useEffect, useState } from 'preact/hooks';
import { zone } from '../parts/device.ts';
import { millisecondsOf, now } from '../state/clock.ts';
import { durationText, timeText } from '../state/times.ts';

const TICK_MS = 1_000;

export function Age({ at }: { readonly at: string }) {
  const [present, setPresent] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setPresent(now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.floor((present - millisecondsOf(at)) / 1_000);
  return (
    <time dateTime={at} title={timeText(at, zone.value)}>
      {seconds < 1 ? 'now' : `${durationText(seconds * 1_000)} ago`}
    </time>
  );
}
