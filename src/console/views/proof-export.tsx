/** The check of an export with its progress, and the events of one that holds. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Badge, Time } from '../parts/controls.tsx';
import { VirtualTable } from '../parts/virtual-table.tsx';
import { type CheckedExport, checkExport, type Progress } from '../state/export-check.ts';
import { type ExportedEvent, exportRows } from '../state/export-rows.ts';
import { countText } from '../state/times.ts';
import { ProofResult } from './proof-result.tsx';

interface ExportProps {
  readonly file: Blob;
  readonly name: string;
  readonly publicKey: string;
  readonly notes: readonly string[];
}

type State =
  | { readonly kind: 'checking'; readonly progress: Progress; readonly cancel: () => void }
  | { readonly kind: 'checked'; readonly checked: CheckedExport; readonly seconds: number }
  | { readonly kind: 'stopped'; readonly reason: string };

export function ProofExport({ file, name, publicKey, notes }: ExportProps) {
  const [round, setRound] = useState(0);
  const state = useCheck(file, publicKey, notes, round);
  const again = (
    <button type="button" onClick={() => setRound(round + 1)}>
      Verify the export again
    </button>
  );
  if (state === undefined) return null;
  if (state.kind === 'stopped') {
    return (
      <div class="state" data-state="stopped">
        <p>{state.reason}</p>
        {again}
      </div>
    );
  }
  if (state.kind === 'checking') {
    const { progress, cancel } = state;
    return (
      <div class="state" data-state="checking">
        <label>
          Checking {name}: {countText(progress.events)} events{' '}
          <progress max={Math.max(1, file.size)} value={progress.bytes} />
        </label>{' '}
        <button type="button" onClick={cancel}>
          Cancel
        </button>
      </div>
    );
  }
  const { checked, seconds } = state;
  return (
    <ProofResult title={`Export ${name}`} verified={checked}>
      <p class="quiet">
        Checked in {seconds.toFixed(1)} s. {again}
      </p>
      {checked.index !== undefined && <ExportedEvents index={checked.index} />}
    </ProofResult>
  );
}

/** Checks the file, again in another round or when something changes. */
function useCheck(
  file: Blob,
  key: string,
  notes: readonly string[],
  round: number,
): State | undefined {
  const [state, setState] = useState<State>();
  useEffect(() => {
    const ending = new AbortController();
    const cancel = () => ending.abort('The check was cancelled.');
    const begin = performance.now();
    const report = (progress: Progress) => setState({ kind: 'checking', progress, cancel });
    report({ bytes: 0, events: 0 });
    checkExport({ file, key, notes }, ending.signal, report).then(
      (checked) => {
        const seconds = (performance.now() - begin) / 1_000;
        setState({ kind: 'checked', checked, seconds });
      },
      (error: unknown) => {
        if (error === REPLACED) return;
        const isCancelled = ending.signal.aborted;
        const reason = isCancelled ? String(error) : `The file cannot be read: ${error}`;
        setState({ kind: 'stopped', reason });
      },
    );
    return () => ending.abort(REPLACED);
  }, [file, key, notes.join(), round]);
  return state;
}

/** The reason why a check ends when its page, or what it checks, is replaced. */
const REPLACED = 'replaced';

const COLUMNS = ['Position', 'Time', 'Event', 'Order', 'By'];

function ExportedEvents({ index }: { readonly index: NonNullable<CheckedExport['index']> }) {
  const rows = useMemo(() => exportRows(index), [index]);
  return (
    <>
      <h3>{countText(index.events)} events</h3>
      {index.events > 0 && (
        <VirtualTable kind="log" label="Events" columns={COLUMNS} rows={rows} cells={cellsOf} />
      )}
    </>
  );
}

function cellsOf({ position, time, type, subject, by, keyname }: ExportedEvent) {
  return [
    String(position),
    <Time key="time" at={time} />,
    <Badge key="type" of={type} />,
    subject,
    keyname ?? by,
  ];
}
