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
  readonly policy: string | undefined;
}

export function ProofTiles({ folder, name, publicKey: key, notes, policy }: TilesProps) {
  return (
    <LongCheck
      title={`Tiles ${isolated(name)}`}
      name={name}
      inputs={[folder, key, notes.join(), policy]}
      check={(signal, report) =>
        checkTiles({ folder, key, notes, policy }, signal, ({ events, size }) =>
          report({ events, part: events / size }),
        )
      }
    />
  );
}
