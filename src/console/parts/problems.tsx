/** The states in which a page has no data, each with the way out of it. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { firstCommands } from '../state/curl.ts';
import { isWorthRetry, type Problem } from '../state/problem.ts';
import { Copy } from './controls.tsx';
import { isOnline } from './device.ts';
import { SERVICE } from './router.ts';

const TITLES: Readonly<Record<Problem['kind'], string>> = {
  key_refused: 'The service does not accept the key',
  scope_missing: 'The key has not the scope for this',
  not_found: 'There is no such order',
  absent: 'This does not exist',
  moment_to_come: 'That moment has not come yet',
  gone: 'This no longer exists',
  busy: 'The service is busy, or not ready',
  offline: 'This device is offline',
  unreachable: 'The service does not answer',
  file_changed: 'The file has changed since it was verified',
  other: 'This did not work',
};

interface ProblemProps {
  readonly problem: Problem;
  readonly onRetry: () => void;
  readonly children?: ComponentChildren;
}

export function ProblemView({ problem, onRetry, children }: ProblemProps) {
  const { kind, message, requestId } = problem;
  return (
    <div class="state" data-state={kind} role="alert">
      <h2>{TITLES[kind]}</h2>
      <p>{message}</p>
      {requestId !== undefined && (
        <p class="quiet">
          Request <code>{requestId}</code>
        </p>
      )}
      {children}
      <Retry {...{ problem, onRetry }} />
    </div>
  );
}

/** The way to the next attempt: a countdown after a failure that may pass, a button where the reader is to decide. */
export function Retry({ problem, onRetry }: Omit<ProblemProps, 'children'>) {
  const { retryMs } = problem;
  if (retryMs !== undefined) return <Countdown of={problem} ms={retryMs} onEnd={onRetry} />;
  if (!isWorthRetry(problem)) return null;
  return (
    <button type="button" onClick={onRetry}>
      Try again
    </button>
  );
}

interface CountdownProps {
  readonly of: Problem;
  readonly ms: number;
  readonly onEnd: () => void;
}

/**
 * Counts down to the next attempt, and makes it. Being online again starts the count anew. It stays at 0
 * until the attempt has an answer: another one would end the one that is under way.
 */
function Countdown({ of, ms, onEnd }: CountdownProps) {
  const [leftS, setLeftS] = useState(Math.ceil(ms / 1_000));
  const online = isOnline.value;
  useEffect(() => {
    setLeftS(Math.ceil(ms / 1_000));
    const timer = setInterval(() => {
      setLeftS((before) => {
        if (before === 1) onEnd();
        return Math.max(0, before - 1);
      });
    }, 1_000);
    return () => clearInterval(timer);
  }, [of, ms, online]);
  return (
    // Around it is an alert, of which a screen reader would read every second.
    <p aria-live="off">
      Next attempt in <b class="countdown">{leftS}</b> s.{' '}
      <button type="button" onClick={onEnd}>
        Try now
      </button>
    </p>
  );
}

export function Loading() {
  return (
    <p class="quiet" role="status">
      Loading …
    </p>
  );
}

/** The state of a store without orders: the commands that place the first one. */
export function EmptyStore() {
  const commands = firstCommands(SERVICE.replace(/\/$/, '')).join('\n');
  return (
    <div class="state" data-state="empty">
      <h2>There are no orders yet</h2>
      <p>
        Three lines place one, with a key in <code>KEY</code> that has <code>orders:write</code>:
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <pre tabIndex={0}>{commands}</pre>
      <Copy text={() => commands}>Copy</Copy>
    </div>
  );
}
