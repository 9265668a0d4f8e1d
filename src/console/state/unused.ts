/** Material that no verdict uses, which a reader must not take for checked. */
import { type Consistency, isBetween, pairsOf } from './checkpoint-order.ts';
import { textsOf } from './given.ts';
import { isolated } from './isolated.ts';
import type { Material } from './material.ts';
import type { Verified } from './proof-steps.ts';
import { proofUsed } from './succession-steps.ts';
import { countText } from './times.ts';

export interface Unused extends Verified {
  readonly kind: Material['kind'];
  readonly material: Material;
}

/**
 * Returns what was given and nothing else given is verified with, each with what it needs.
 * @param given Has no checkpoint that the key has not signed.
 * @param key The public key that all is verified with.
 */
export function unusedIn(given: readonly Material[], key = ''): readonly Unused[] {
  const pairs = pairsOf(textsOf(given, 'checkpoint'), given);
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
        : 'there is no second checkpoint of this key, export or folder of tiles beside it';
    case 'policy':
      // An export has a step for its policy.
      return given.some(({ kind }) => WITH_POLICY.includes(kind))
        ? undefined
        : 'there is no receipt, folder of tiles or checkpoint of this key beside it';
    case 'consistency': {
      const needing = pairs.filter((pair) => isBetween(material, pair));
      if (needing.length === 0) return 'no two checkpoints of this key that need it are beside it';
      const rivals = given.filter((each) => isOfSizesOf(each, material));
      const isUsed =
        rivals.length === 1 || needing.some((pair) => proofUsed(pair, key, rivals) === material);
      return isUsed ? undefined : 'another proof of these sizes was beside it';
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

function isOfSizesOf(each: Material, { from, to }: Consistency): each is Consistency {
  return each.kind === 'consistency' && each.from === from && each.to === to;
}
