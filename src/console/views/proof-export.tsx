/** The check of an export, and the events of one that holds. */
import { useMemo } from 'preact/hooks';
import { Badge, Time } from '../parts/controls.tsx';
import { VirtualTable } from '../parts/virtual-table.tsx';
import { type CheckedExport, checkExport } from '../state/export-check.ts';
import { type ExportedEvent, exportRows } from '../state/export-rows.ts';
import { isolated } from '../state/isolated.ts';
import { countText } from '../state/times.ts';
import { LongCheck } from './long-check.tsx';

interface ExportProps {
  readonly file: Blob;
  readonly name: string;
  readonly publicKey: string;
  readonly notes: readonly string[];
  readonly policies: readonly string[];
}

export function ProofExport({ file, name, publicKey: key, notes, policies }: ExportProps) {
  return (
    <LongCheck
      title={`Export ${isolated(name)}`}
      name={name}
      inputs={[file, key, notes.join(), policies.join()]}
      check={(signal, report) =>
        checkExport({ file, key, notes, policies }, signal, ({ events, bytes }) =>
          report({ events, part: bytes / file.size }),
        )
      }
    >
      {({ index }) => index !== undefined && <ExportedEvents index={index} />}
    </LongCheck>
  );
}

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
    <bdi key="by">{keyname ?? by}</bdi>,
  ];
}
