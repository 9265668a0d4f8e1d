/** The check of a folder of tiles. */
import { isolated } from '../state/isolated.ts';
import { checkTiles } from '../state/tile-check.ts';
import type { Folder } from '../state/tile-folder.ts';
import { LongCheck } from './long-check.tsx';

interface TilesProps {
  readonly folder: Folder;
  readonly name: string;
  readonly publicKey: string;
  readonly notes: readonly string[];
  readonly policies: readonly string[];
}

export function ProofTiles({ folder, name, publicKey: key, notes, policies }: TilesProps) {
  return (
    <LongCheck
      title={`Tiles ${isolated(name)}`}
      name={name}
      inputs={[folder, key, notes.join(), policies.join()]}
      check={(signal, report) =>
        checkTiles({ folder, key, notes, policies }, signal, ({ events, size }) =>
          report({ events, part: events / size }),
        )
      }
    />
  );
}
