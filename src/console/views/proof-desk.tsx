/** The material to be verified, and the outcome: all in the tab, with a service or without one. */
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { keptPublicKey } from '../parts/public-key.ts';
import { besideOf, pairsOf, sizeOf } from '../state/checkpoint-order.ts';
import { textsOf, withMaterial } from '../state/given.ts';
import { isolated } from '../state/isolated.ts';
import type { Material } from '../state/material.ts';
import { keyProblem, receiptSteps, witnessedSteps } from '../state/proof-steps.ts';
import { sortedBy } from '../state/set-aside.ts';
import { successionSteps } from '../state/succession-steps.ts';
import { unusedIn } from '../state/unused.ts';
import { ProofExport } from './proof-export.tsx';
import { ProofInput } from './proof-input.tsx';
import { ProofKey } from './proof-key.tsx';
import { ProofLimits, ProofResult } from './proof-result.tsx';
import { ProofTiles } from './proof-tiles.tsx';

interface DeskProps {
  /** Material that the page has loaded: it is beside that of the reader, until it is absent again. */
  readonly loaded?: Material | undefined;
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

export function ProofDesk({ loaded, fetchKey, fetchMissing }: DeskProps) {
  const [publicKey, setPublicKey] = useState(keptPublicKey());
  const [given, setGiven] = useState<readonly Material[]>([]);
  const add = (material: Material) => {
    setGiven((before) => withMaterial(before, material));
    // A key that came along with a proof may be its forger's: it only fills an empty field.
    if (material.kind === 'key') setPublicKey((before) => before || material.text);
  };
  const remove = (material: Material) =>
    setGiven((before) => before.filter((each) => each !== material));
  useLayoutEffect(() => {
    if (loaded === undefined) return;
    add(loaded);
    return () => remove(loaded);
  }, [loaded]);
  const isAdded = textsOf(given, 'key').includes(publicKey);
  const others = given.filter((each) => each.kind !== 'key' || each.text !== publicKey);
  const isReady = publicKey !== '' && keyProblem(publicKey) === undefined;
  return (
    <>
      <div class="material">
        <ProofKey value={publicKey} isAdded={isAdded} onChange={setPublicKey} fetchKey={fetchKey} />
        <ProofInput onMaterial={add} />
        <ul class="given" aria-label="Added">
          {others.map((material) => (
            <li key={material}>
              {NAMES[material.kind]} <bdi>{labelOf(material)}</bdi>{' '}
              <button type="button" onClick={() => remove(material)}>
                Remove
                <span class="hidden">
                  {' '}
                  {NAMES[material.kind]} <bdi>{labelOf(material)}</bdi>
                </span>
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

function labelOf(material: Material): string {
  const { name = '' } = material;
  switch (material.kind) {
    case 'checkpoint':
      return `${isolated(name)} of ${sizeOf(material.text)} events`;
    case 'consistency':
      return `${isolated(name)} from ${material.from} to ${material.to} events`;
    default:
      return name;
  }
}

function titleOf({ kind, name = '' }: Material): string {
  return `${NAMES[kind]} ${isolated(name)}`.trimEnd();
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
  // Before anything is compared: nobody else's checkpoint or statement may change a verdict on the log.
  const { own, others } = sortedBy(publicKey, given);
  const notes = textsOf(own, 'checkpoint');
  const policies = textsOf(own, 'policy');
  return (
    <>
      {own.map((each) => {
        if (each.kind === 'receipt') {
          const { text: receipt, name } = each;
          return <Receipt key={each} {...{ receipt, name, publicKey, policies }} />;
        }
        if (each.kind === 'tiles') {
          const { folder, name } = each;
          return <ProofTiles key={each} {...{ folder, name, publicKey, notes, policies }} />;
        }
        if (each.kind !== 'export') return null;
        const { file, name } = each;
        return <ProofExport key={each} {...{ file, name, publicKey, notes, policies }} />;
      })}
      {pairsOf(notes, own).map((pair) => (
        <Checkpoints key={pair.join()} {...{ pair, given: own, publicKey, fetchMissing, onMore }} />
      ))}
      {policies.length > 0 &&
        notes.map((note) => <Witnessed key={note} {...{ note, publicKey, policies }} />)}
      {others.map((other) => (
        <ProofResult key={other.material} title={titleOf(other.material)} verified={other} />
      ))}
      {unusedIn(own, publicKey).map((unused) => (
        <ProofResult key={unused.material} title={NAMES[unused.kind]} verified={unused} />
      ))}
    </>
  );
}

interface ReceiptProps {
  readonly receipt: string;
  readonly name: string | undefined;
  readonly publicKey: string;
  readonly policies: readonly string[];
}

function Receipt({ receipt, name = '', publicKey, policies }: ReceiptProps) {
  const verified = useMemo(
    () => receiptSteps(receipt, publicKey, ...policies),
    [receipt, publicKey, policies.join()],
  );
  return (
    <ProofResult title={titleOf({ kind: 'receipt', text: receipt, name })} verified={verified}>
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
  readonly policies: readonly string[];
}

function Witnessed({ note, publicKey, policies }: WitnessedProps) {
  const verified = useMemo(
    () => witnessedSteps(note, publicKey, ...policies),
    [note, publicKey, policies.join()],
  );
  return <ProofResult title={`Witnesses at ${sizeOf(note)} events`} verified={verified} />;
}

interface CheckpointsProps extends OutcomeProps {
  readonly pair: readonly [string, string];
}

function Checkpoints({ pair, given, publicKey, fetchMissing, onMore }: CheckpointsProps) {
  const [failure, setFailure] = useState('');
  const beside = besideOf(pair, given);
  // Not once more for all else that is given: of many checkpoints, each would take the time of all.
  const verified = useMemo(
    () => successionSteps(pair, publicKey, beside),
    [pair.join(), publicKey, ...beside],
  );
  const [from = 0, to = 0] = pair.map(sizeOf).sort((size, larger) => size - larger);
  const get = async () => {
    try {
      setFailure('');
      for (const material of (await fetchMissing?.(from, to)) ?? []) onMore(material);
    } catch (error) {
      setFailure((error as Error).message);
    }
  };
  return (
    <ProofResult title={`Checkpoints of ${from} and ${to} events`} verified={verified}>
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
