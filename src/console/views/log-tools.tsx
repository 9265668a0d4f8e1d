/** The tools over the log: filters, the way to a moment, and the ways to take events elsewhere. */

import { useState } from 'preact/hooks';
import { EVENT_TYPES } from '../../app/log/recorded-event.ts';
import { StoreOrdersError } from '../../client/client.ts';
import { Chips, Copy, save } from '../parts/controls.tsx';
import { zone } from '../parts/device.ts';
import { addressOf, moveTo, SERVICE, staying } from '../parts/router.ts';
import { client } from '../parts/session.ts';
import { instantAfter } from '../state/clock.ts';
import { curlOf } from '../state/curl.ts';
import { type ExportFormat, piecesOf } from '../state/event-export.ts';
import { type LogRoute, type Members, searchOf, withoutAbsent } from '../state/routes.ts';
import { countText, instantIn, NO_MOMENT, zoneName } from '../state/times.ts';

interface LogToolsProps {
  readonly to: LogRoute;
}

export function LogTools({ to }: LogToolsProps) {
  const isOldest = to.order === 'oldest';
  const { type, commandId } = to;
  const choose = (chosen: Partial<Members<LogRoute>>) => {
    moveTo(withoutAbsent<LogRoute>({ ...to, at: undefined, ...chosen }));
  };
  const search = searchOf({ type, commandId });
  return (
    <>
      <div class="tools">
        <Chips
          label="Type of event"
          chosen={type}
          onChoose={(chosen) => choose({ type: chosen })}
          values={[[undefined, 'all'], ...EVENT_TYPES.map((each) => [each, each] as const)]}
        />
        <button
          type="button"
          aria-pressed={isOldest}
          onClick={() => choose({ order: isOldest ? undefined : 'oldest' })}
        >
          Oldest first
        </button>
        {commandId !== undefined && (
          <button type="button" onClick={() => choose({ commandId: undefined })}>
            Command {commandId} ✕
          </button>
        )}
        <Copy text={() => addressOf(to)}>Copy link</Copy>
        <Copy text={() => curlOf(`${SERVICE}v2/store/events${search}`)}>Copy as curl</Copy>
      </div>
      <div class="tools">
        <Moment />
        <Export to={to} />
      </div>
    </>
  );
}

/** Leads to the first event at or after a moment. */
function Moment() {
  const [said, setSaid] = useState('');
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const isHere = staying();
    const text = String(new FormData(event.currentTarget as HTMLFormElement).get('moment') ?? '');
    const moment = instantIn(text, zone.value);
    setSaid(moment === undefined ? NO_MOMENT : '');
    if (moment === undefined) return;
    try {
      // The numbers just before the moment name the last event before it, without a search.
      const before = instantAfter(moment, -1);
      const [then, now] = await Promise.all([client.summary({ asOf: before }), client.summary()]);
      if (!isHere()) return;
      if (then.asOf === now.asOf) setSaid('No event is as late as that.');
      else moveTo({ page: 'log', order: 'oldest', at: String(then.asOf + 1), paused: true });
    } catch (error) {
      if (!(error instanceof StoreOrdersError)) throw error;
      if (isHere()) setSaid(error.message);
    }
  };
  return (
    <form class="filters" onSubmit={submit} noValidate>
      <label>
        From ({zoneName(zone.value)}) <input name="moment" type="datetime-local" step={1} />
      </label>
      <button type="submit">Go to moment</button>
      <span role="alert">{said}</span>
    </form>
  );
}

/** Downloads all events that match, page by page, with their number as it grows. */
function Export({ to: { type, commandId } }: LogToolsProps) {
  const [said, setSaid] = useState('');
  const download = async (format: ExportFormat) => {
    const pieces: Blob[] = [];
    let count = 0;
    try {
      for await (const piece of piecesOf(client.events, { type, commandId }, format)) {
        // The browser may keep a blob on its disk.
        pieces.push(new Blob([piece.text]));
        count += piece.count;
        setSaid(`${countText(count)} events …`);
      }
    } catch (error) {
      if (!(error instanceof StoreOrdersError)) throw error;
      setSaid(`Not downloaded: ${error.message}`);
      return;
    }
    const media = format === 'csv' ? 'text/csv' : 'application/x-ndjson';
    save(
      new Blob(pieces, { type: media }),
      `events${type === undefined ? '' : `-${type}`}.${format}`,
    );
    setSaid(`Downloaded: ${countText(count)} events`);
  };
  return (
    <>
      <button type="button" onClick={() => download('ndjson')}>
        Download NDJSON
      </button>
      <button type="button" onClick={() => download('csv')}>
        Download CSV
      </button>
      <span class="quiet" role="status">
        {said}
      </span>
    </>
  );
}
