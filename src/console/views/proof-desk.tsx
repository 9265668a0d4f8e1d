/** The material to be verified, and the outcome: all in the tab, with a service or without one. */
import { useMemo, useState } from 'preact/hooks';
import { keptPublicKey } from '../parts/public-key.ts';
import type { Material } from '../state/material.ts';
import { keyProblem, receiptSteps, successionSteps, witnessedSteps } from '../state/proof-steps.ts';
import { unusedIn } from '../state/unused.ts';
import { ProofExport } from './proof-export.tsx';
import { ProofInput } from './proof-input.tsx';
import { ProofKey } from './proof-key.tsx';
import { ProofLimits, ProofResult } from './proof-result.tsx';
import { ProofTiles } from './proof-tiles.tsx';

interface DeskProps {
  readonly first?: Material | undefined;
  readonly fetchKey?: () => Promise<string>;
  /** Gets what is missing to compare checkpoints; absent where no service or no scope is. */
  readonly fetchMissing?: ((from: number, to: number) => Promise<readonly Material[]>) | undefined;
}

const NAMES: Readonly<Record<Material['kind'], string>> = {
  key: 'Public key',
  receipt: 'Receipt',
  checkpoint: 'Checkpoint',
  consistency: 'Proof of consistency',
  breaks: 'Statements of breaks',
  export: 'Export',
  tiles: 'Tiles',
  policy: 'Policy of witnesses',
};

export function ProofDesk({ first, fetchKey, fetchMissing }: DeskProps) {
  const [publicKey, setPublicKey] = useState(keptPublicKey());
  const [given, setGiven] = useState<readonly Material[]>(first === undefined ? [] : [first]);
  const add = (material: Material) => {
    if (material.kind === 'key') setPublicKey(material.text);
    else setGiven((before) => withMaterial(before, material));
  };
  const isReady = publicKey !== '' && keyProblem(publicKey) === undefined;
  return (
    <>
      <div class="material">
        <ProofKey value={publicKey} onChange={setPublicKey} fetchKey={fetchKey} />
        <ProofInput onMaterial={add} />
        <ul class="given" aria-label="Added">
          {given.map((material, at) => (
            <li key={material}>
              {NAMES[material.kind]} <bdi>{labelOf(material)}</bdi>{' '}
              <button type="button" onClick={() => setGiven(given.toSpliced(at, 1))}>
                Remove<span class="hidden"> {NAMES[material.kind]}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
      {given.length > 0 && !isReady && (
        <p role="status">Type the public key of the log: without it nothing can be verified.</p>
      )}
      {isReady && (
        <Outcome given={given} publicKey={publicKey} fetchMissing={fetchMissing} onMore={add} />
      )}
      <ProofLimits of={kindsIn(given)} />
    </>
  );
}

/** Replaces what there can be only one of. Of checkpoints there are two. */
function withMaterial(before: readonly Material[], added: Material): readonly Material[] {
  const same = before.filter(({ kind }) => kind === added.kind);
  const most = added.kind === 'checkpoint' ? 2 : 1;
  const dropped = same.length < most ? undefined : same[0];
  return [...before.filter((each) => each !== dropped), added];
}

function labelOf(material: Material): string {
  switch (material.kind) {
    case 'export':
    case 'tiles':
      return material.name;
    case 'checkpoint':
      return `of ${material.text.split('\n')[1]} events`;
    case 'consistency':
      return `from ${material.from} to ${material.to} events`;
    default:
      return '';
  }
}

function kindsIn(given: readonly Material[]) {
  const kinds = new Set(given.map(({ kind }) => kind));
  return [
    ...(kinds.has('receipt') ? (['receipt'] as const) : []),
    ...(kinds.has('checkpoint') ? (['checkpoints'] as const) : []),
    ...(kinds.has('export') ? (['export'] as const) : []),
    ...(kinds.has('tiles') ? (['tiles'] as const) : []),
  ];
}

interface OutcomeProps extends Pick<DeskProps, 'fetchMissing'> {
  readonly given: readonly Material[];
  readonly publicKey: string;
  readonly onMore: (material: Material) => void;
}

function Outcome({ given, publicKey, fetchMissing, onMore }: OutcomeProps) {
  const notes = given.flatMap((each) => (each.kind === 'checkpoint' ? [each.text] : []));
  const [one, other] = notes;
  const policy = given.flatMap((each) => (each.kind === 'policy' ? [each.text] : []))[0];
  return (
    <>
      {given.map((each) => {
        if (each.kind === 'receipt') {
          const { text } = each;
          return <Receipt key={text + publicKey} receipt={text} {...{ publicKey, policy }} />;
        }
        if (each.kind === 'tiles') {
          const { folder, name } = each;
          return <ProofTiles key={each} {...{ folder, name, publicKey, notes, policy }} />;
        }
        if (each.kind !== 'export') return null;
        const { file, name } = each;
        return <ProofExport key={each} {...{ file, name, publicKey, notes, policy }} />;
      })}
      {one !== undefined && (
        <Checkpoints {...{ one, other, given, publicKey, fetchMissing, onMore }} />
      )}
      {policy !== undefined &&
        notes.map((note) => <Witnessed key={note} {...{ note, publicKey, policy }} />)}
      {unusedIn(given).map((unused) => (
        <ProofResult key={unused.kind} title={NAMES[unused.kind]} verified={unused} />
      ))}
    </>
  );
}

interface ReceiptProps {
  readonly receipt: string;
  readonly publicKey: string;
  readonly policy: string | undefined;
}

function Receipt({ receipt, publicKey, policy }: ReceiptProps) {
  const verified = useMemo(
    () => receiptSteps(receipt, publicKey, policy),
    [receipt, publicKey, policy],
  );
  return (
    <ProofResult title="Receipt" verified={verified}>
      <div class="tools">
        <button type="button" onClick={() => print()}>
          Print
        </button>
      </div>
    </ProofResult>
  );
}

interface WitnessedProps {
  readonly note: string;
  readonly publicKey: string;
  readonly policy: string;
}

function Witnessed({ note, publicKey, policy }: WitnessedProps) {
  const verified = useMemo(
    () => witnessedSteps(note, publicKey, policy),
    [note, publicKey, policy],
  );
  return <ProofResult title={`Witnesses at ${note.split('\n')[1]} events`} verified={verified} />;
}

interface CheckpointsProps extends OutcomeProps {
  readonly one: string;
  readonly other: string | undefined;
}

function Checkpoints({ one, other, given, publicKey, fetchMissing, onMore }: CheckpointsProps) {
  const [failure, setFailure] = useState('');
  const isWhole = given.some(({ kind }) => kind === 'export' || kind === 'tiles');
  const verified = useMemo(
    () => successionSteps([one, other ?? one], publicKey, given),
    [one, other, publicKey, given],
  );
  if (other === undefined) {
    return isWhole ? null : <p>Add a second checkpoint to compare it with.</p>;
  }
  const [from = 0, to = 0] = [one, other]
    .map((note) => Number(note.split('\n')[1]))
    .sort((size, larger) => size - larger);
  const get = async () => {
    try {
      setFailure('');
      for (const material of (await fetchMissing?.(from, to)) ?? []) onMore(material);
    } catch (error) {
      setFailure((error as Error).message);
    }
  };
  return (
    <ProofResult title="Checkpoints" verified={verified}>
      {verified.missing !== undefined && fetchMissing !== undefined && (
        <button type="button" onClick={get}>
          Get it from this service
        </button>
      )}
      <p role="status" class="farewell">
        {failure}
      </p>
    </ProofResult>
  );
}
