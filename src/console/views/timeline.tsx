/** The history of an order: each event with who did it, what it changed, and what is stored of it. */
import { useState } from 'preact/hooks';
import { Badge, Copy, Link, save, Time } from '../parts/controls.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Loading, ProblemView } from '../parts/problems.tsx';
import { client, place } from '../parts/session.ts';
import type { Step } from '../state/history.ts';
import { durationText } from '../state/times.ts';
import { OrderState } from './order-state.tsx';

export function Timeline({ steps }: { readonly steps: readonly Step[] }) {
  const [isUnfolded, setUnfolded] = useState(false);
  return (
    <>
      <button type="button" aria-pressed={isUnfolded} onClick={() => setUnfolded(!isUnfolded)}>
        Unfold all
      </button>
      <ol class="timeline">
        {steps.map((step) => (
          <StepItem key={step.event.position} step={step} isUnfolded={isUnfolded} />
        ))}
      </ol>
    </>
  );
}

function StepItem({ step, isUnfolded }: { readonly step: Step; readonly isUnfolded: boolean }) {
  const { event, gapMs, state } = step;
  const { position, by, keyname, commandid, traceparent, time } = event;
  const [isStoredOpen, setStoredOpen] = useState(false);
  const at = { page: 'log', order: 'oldest', at: String(position), paused: true } as const;
  return (
    <li>
      {gapMs !== undefined && <p class="gap">{durationText(gapMs)} later</p>}
      <h3>
        <Badge of={event.type} /> <Time at={time} />
      </h3>
      <dl class="facts">
        <dt>Position</dt>
        <dd>
          <Link to={at}>{position}</Link>
        </dd>
        <dt>By</dt>
        <dd>
          <bdi>{keyname}</bdi> <code>{by}</code>
        </dd>
        <dt>Request</dt>
        <dd>
          <Link to={{ page: 'log', commandId: commandid.replace(/:.*/, '') }}>
            <code>{commandid}</code>
          </Link>
        </dd>
        {traceparent !== undefined && (
          <>
            <dt>Trace</dt>
            <dd>
              <code>{traceparent}</code>
            </dd>
          </>
        )}
      </dl>
      {state === undefined ? (
        <p data-state="unknown">
          The state after it is not known: this page is older than the service. Reload it.
        </p>
      ) : (
        <details open={isUnfolded}>
          <summary>State after it</summary>
          <OrderState order={state} />
        </details>
      )}
      <details
        open={isUnfolded}
        onToggle={(toggled) => setStoredOpen((toggled.currentTarget as HTMLDetailsElement).open)}
      >
        <summary>Stored bytes, and their receipt</summary>
        {isStoredOpen && <Stored position={position} />}
      </details>
    </li>
  );
}

/** The bytes that were hashed, from the receipt of the event. */
function Stored({ position }: { readonly position: number }) {
  const { value, problem, reload } = useLoaded(`receipt ${position}`, async (signal) => {
    const receipt = client.receipt({ position: place(position) }, { signal });
    const text = await receipt.text();
    return { text, record: String(JSON.parse(text).record) };
  });
  if (problem !== undefined) return <ProblemView problem={problem} onRetry={reload} />;
  if (value === undefined) return <Loading />;
  const { text, record } = value;
  const download = () => {
    save(new Blob([text], { type: 'application/json' }), `receipt-of-position-${position}.json`);
  };
  return (
    <>
      <p class="quiet">{new TextEncoder().encode(record).length} bytes</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <pre class="stored" tabIndex={0}>
        {record}
      </pre>
      <div class="tools">
        <Copy text={() => record}>Copy the bytes</Copy>
        <button type="button" onClick={download}>
          Download the receipt of position {position}
        </button>
        <Link to={{ page: 'proof', position: String(position) }}>Verify the receipt</Link>
      </div>
    </>
  );
}
