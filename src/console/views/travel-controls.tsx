/** The ways to another moment: a slider under the activity of the store, steps, and two fields. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { StoreOrdersError, type Summary } from '../../client/client.ts';
import { Button } from '../parts/controls.tsx';
import { instantNow, zone } from '../parts/device.ts';
import { moveTo, staying } from '../parts/router.ts';
import { client } from '../parts/session.ts';
import { positionIn } from '../state/places.ts';
import type { TravelRoute } from '../state/routes.ts';
import { countText, instantIn, NO_MOMENT, timeText, zoneName } from '../state/times.ts';
import { type Bar, daysFrom, endOf } from '../state/travel.ts';

/** The rest of a slider before the moment is loaded, in milliseconds. */
const REST_MS = 200;

interface ControlsProps {
  readonly to: TravelRoute;
  readonly now: Summary;
  readonly bars: readonly Bar[];
  /** The moment; absent while it is loaded, and if it cannot be. */
  readonly then: Summary | undefined;
  readonly isLoading: boolean;
}

export function TravelControls({ to, now, bars, then, isLoading }: ControlsProps) {
  const head = now.asOf;
  const position = usePosition(to, head, then);
  const [dragged, drag] = useStateAt<number>(to);
  const shown = dragged ?? position;
  const slide = (next: number, end = head) => goTo(next, end);
  // Until the moment is loaded, its position is not known where the address has a time, nor its time otherwise.
  const isTimeOpen = to.asOf === undefined && then === undefined;
  const isPositionOpen = to.asOf !== undefined && isLoading;
  const byDays = (days: number) => {
    const moment = to.asOf ?? then?.lastEventAt;
    const first = bars[0]?.start;
    const asOf = moment === undefined ? first : daysFrom(moment, days, endOf(now, instantNow()));
    travelTo(asOf === undefined ? {} : { asOf });
  };
  return (
    <section class="travel" aria-label="Moment">
      <Histogram bars={bars} position={position} />
      <Slider
        head={head}
        position={position}
        dragged={dragged}
        at={then?.lastEventAt}
        onDrag={drag}
        onRest={slide}
      />
      <div class="tools">
        <Button isOff={isTimeOpen || position <= 0} onClick={() => byDays(-1)}>
          −1 day
        </Button>
        <Button isOff={isPositionOpen || shown <= 0} shortcut="[" onClick={() => slide(shown - 1)}>
          −1 event
        </Button>
        <Button
          isOff={isPositionOpen || shown >= head}
          shortcut="]"
          onClick={() => slide(shown + 1)}
        >
          +1 event
        </Button>
        <Button isOff={isTimeOpen || position >= head} onClick={() => byDays(1)}>
          +1 day
        </Button>
        <Fields to={to} head={head} position={position} onGo={slide} />
      </div>
    </section>
  );
}

/**
 * Returns the position of the address, at once: a step that waited for the moment to be loaded would count from
 * the one before. Where the address has a time, it is the last one known until the moment is loaded.
 */
function usePosition({ at, asOf }: TravelRoute, head: number, then: Summary | undefined): number {
  const known = useRef(head);
  const loaded = asOf === undefined ? head : (then?.asOf ?? known.current);
  known.current = at === undefined ? loaded : Math.min(positionIn(at), head);
  return known.current;
}

/** A state of one address, such as a text that is typed. At another one it is gone, at once. */
function useStateAt<Value>(to: TravelRoute) {
  const [state, setState] = useState<{ readonly to: TravelRoute; readonly value: Value }>();
  const value = state?.to === to ? state.value : undefined;
  return [value, (next: Value) => setState({ to, value: next })] as const;
}

/** Moves to another moment of the same page. */
function travelTo(to: Omit<TravelRoute, 'page'>): void {
  moveTo({ page: 'travel', ...to }, true);
}

function goTo(position: number, head: number): void {
  travelTo(position >= head ? {} : { at: String(Math.max(0, position)) });
}

/** Returns the position of the last event; the one that is known where the service does not answer. */
async function headOr(known: number): Promise<number> {
  try {
    return (await client.summary()).asOf;
  } catch (error) {
    if (!(error instanceof StoreOrdersError)) throw error;
    return known;
  }
}

interface SliderProps {
  readonly head: number;
  readonly position: number;
  /** The position that the reader has dragged it to; absent while it rests. */
  readonly dragged: number | undefined;
  readonly at: string | undefined;
  readonly onDrag: (position: number) => void;
  readonly onRest: (position: number) => void;
}

/** A slider over all positions. The moment is loaded when it rests. */
function Slider({ head, position, dragged, at, onDrag, onRest }: SliderProps) {
  useLayoutEffect(() => {
    if (dragged === undefined) return;
    const timer = setTimeout(() => onRest(dragged), REST_MS);
    return () => clearTimeout(timer);
  }, [dragged]);
  const shown = dragged ?? position;
  const when = dragged === undefined && at !== undefined ? `, ${timeText(at, zone.value)}` : '';
  return (
    <input
      type="range"
      min={0}
      max={head}
      value={shown}
      aria-label="Position"
      aria-valuetext={`position ${shown} of ${head}${when}`}
      onInput={(event) => onDrag(event.currentTarget.valueAsNumber)}
    />
  );
}

interface HistogramProps {
  readonly bars: readonly Bar[];
  readonly position: number;
}

/** The events of each day or hour: those up to the position are filled. */
function Histogram({ bars, position }: HistogramProps) {
  const most = Math.max(1, ...bars.map(({ events }) => events));
  const [from, to] = [bars[0], bars.at(-1)].map((bar) => bar && timeText(bar.start, zone.value));
  return (
    <>
      <svg
        class="chart"
        viewBox={`0 0 ${Math.max(1, bars.length)} 1`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {bars.map(({ start, events, end }, index) => (
          <rect
            key={start}
            class={end - events < position ? undefined : 'later'}
            x={index + 0.1}
            y={1 - events / most}
            width={0.8}
            height={events / most}
          />
        ))}
      </svg>
      <p class="quiet ends">
        <span>{from?.slice(0, 16)}</span>
        <span>most: {countText(most)} events</span>
        <span>{to?.slice(0, 16)}</span>
      </p>
    </>
  );
}

/** The fields for a position and for a moment. */
interface FieldsProps {
  readonly to: TravelRoute;
  readonly head: number;
  readonly position: number;
  /** @param end The position of the last event, if more have come than the page shows. */
  readonly onGo: (position: number, end: number) => void;
}

function Fields({ to, head, position, onGo }: FieldsProps) {
  const [fault, setFault] = useStateAt<string>(to);
  const [typed, setTyped] = useStateAt<string>(to);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const text = String(given.get('position') ?? '').trim();
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    const isHere = staying();
    // More may have come since the page was opened.
    const end = number > head ? await headOr(head) : head;
    if (!isHere()) return;
    const isInLog = number <= end;
    setFault(isInLog ? '' : `A position is a whole number up to ${end}.`);
    if (isInLog) onGo(number, end);
  };
  const submitMoment = (event: SubmitEvent) => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget as HTMLFormElement).get('moment') ?? '');
    const asOf = instantIn(text, zone.value);
    setFault(asOf === undefined ? NO_MOMENT : '');
    if (asOf !== undefined) travelTo({ asOf });
  };
  return (
    <>
      <form class="filters" onSubmit={submit} noValidate>
        <label>
          Position{' '}
          <input
            name="position"
            inputMode="numeric"
            value={typed ?? `${position}`}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
        <button type="submit">Go to position</button>
      </form>
      <form class="filters" onSubmit={submitMoment} noValidate>
        <label>
          Moment ({zoneName(zone.value)}) <input name="moment" type="datetime-local" step={1} />
        </label>
        <button type="submit">Go to moment</button>
      </form>
      <span role="alert">{fault}</span>
    </>
  );
}
