/** Material that no verdict uses, which a reader must not take for checked. */
import { pairsOf, sizeOf } from './checkpoint-order.ts';
import { textsOf } from './given.ts';
import { isolated } from './isolated.ts';
import type { Material } from './material.ts';
import type { Verified } from './proof-steps.ts';
import { countText } from './times.ts';

export interface Unused extends Verified {
  readonly kind: Material['kind'];
  readonly material: Material;
}

/**
 * Returns what was given and nothing else given is verified with, each with what it needs.
 * @param key The public key that all is verified with.
 */
export function unusedIn(given: readonly Material[], key = ''): readonly Unused[] {
  const pairs = pairsOf(textsOf(given, 'checkpoint'));
  return given.flatMap((material): readonly Unused[] => {
    const reason = reasonFor(material, given, pairs, key);
    if (reason === undefined) return [];
    const { kind } = material;
    return [
      { kind, material, steps: [{ outcome: 'not checked', what: whatOf(material), reason }] },
    ];
  });
}

const WITH_POLICY: readonly Material['kind'][] = ['receipt', 'checkpoint', 'tiles', 'export'];

const WITH_CHECKPOINT: readonly Material['kind'][] = ['tiles', 'export', 'policy'];

/** Returns the reason why no verdict uses this material; `undefined` if one does. */
function reasonFor(
  material: Material,
  given: readonly Material[],
  pairs: ReturnType<typeof pairsOf>,
  key: string,
): string | undefined {
  switch (material.kind) {
    case 'key':
      return material.text === key ? undefined : 'another one is in the field of the public key';
    case 'checkpoint':
      return pairs.length > 0 || given.some(({ kind }) => WITH_CHECKPOINT.includes(kind))
        ? undefined
        : 'there is no second checkpoint, export or folder of tiles beside it';
    case 'policy':
      // An export has a step for its policy.
      return given.some(({ kind }) => WITH_POLICY.includes(kind))
        ? undefined
        : 'there is no receipt, checkpoint or folder of tiles beside it';
    case 'consistency': {
      const isNeeded = pairs.some(([older, newer]) => isBetween(material, older, newer));
      if (!isNeeded) return 'the two checkpoints of these sizes are not beside it';
      const isFirst = given.find((each) => isOfSizesOf(each, material)) === material;
      return isFirst ? undefined : 'another proof of these sizes was beside it';
    }
    case 'breaks':
      return pairs.length > 0
        ? undefined
        : 'the two checkpoints between which the log was cut are not beside it';
    default:
      return undefined;
  }
}

function whatOf(material: Material): string {
  switch (material.kind) {
    case 'key': {
      const [name = '', id] = material.text.split('+');
      return `The signatures are those of the public key ${isolated(name)}+${id}.`;
    }
    case 'checkpoint':
      return 'The log has all that the checkpoint is of, unchanged.';
    case 'policy':
      return 'A quorum of the witnesses of the policy has cosigned.';
    case 'consistency': {
      const [from, to] = [material.from, material.to].map(countText);
      return `The log of ${to} events begins with that of ${from}.`;
    }
    default:
      return 'The statements of breaks are signed by this key.';
  }
}

type Consistency = Extract<Material, { readonly kind: 'consistency' }>;

function isOfSizesOf(each: Material, { from, to }: Consistency): boolean {
  return each.kind === 'consistency' && each.from === from && each.to === to;
}

/** Returns true for a proof without which two checkpoints cannot be compared. */
function isBetween({ from, to }: Consistency, older: string, newer: string): boolean {
  return from > 0 && from < to && from === sizeOf(older) && to === sizeOf(newer);
}
