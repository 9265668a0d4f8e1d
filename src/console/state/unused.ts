/** Material that no verdict uses, which a reader must not take for checked. */
import type { Material } from './material.ts';
import type { Verified } from './proof-steps.ts';
import { countText } from './times.ts';

export interface Unused extends Verified {
  readonly kind: Material['kind'];
}

/** Returns the kinds that were given and that nothing else given is verified with, each with what it needs. */
export function unusedIn(given: readonly Material[]): readonly Unused[] {
  const kinds = given.map(({ kind }) => kind);
  const sizes = given.flatMap((each) => (each.kind === 'checkpoint' ? [sizeOf(each.text)] : []));
  return given.flatMap((each): readonly Unused[] => {
    const { kind } = each;
    // An export has a step for its policy.
    if (kind === 'policy' && !kinds.some((other) => WITH_POLICY.includes(other))) {
      const what = 'A quorum of the witnesses of the policy has cosigned.';
      return [unused(kind, what, 'there is no receipt, checkpoint or folder of tiles beside it')];
    }
    if (kind === 'consistency' && !isBetween(each, sizes)) {
      const [from, to] = [each.from, each.to].map(countText);
      const what = `The log of ${to} events begins with that of ${from}.`;
      return [unused(kind, what, 'the two checkpoints of these sizes are not beside it')];
    }
    if (kind === 'breaks' && sizes.length < 2) {
      const what = 'The statements of breaks are signed by this key.';
      return [
        unused(kind, what, 'the two checkpoints between which the log was cut are not beside it'),
      ];
    }
    return [];
  });
}

const WITH_POLICY: readonly Material['kind'][] = ['receipt', 'checkpoint', 'tiles', 'export'];

function unused(kind: Material['kind'], what: string, reason: string): Unused {
  return { kind, steps: [{ outcome: 'not checked', what, reason }] };
}

function sizeOf(note: string): number {
  return Number(note.split('\n')[1]);
}

function isBetween(
  { from, to }: { readonly from: number; readonly to: number },
  sizes: readonly number[],
): boolean {
  return sizes.length === 2 && [from, to].every((size) => sizes.includes(size));
}
