import type { TreeHead } from '../../src/app/audit/proofs/verifier.ts';

/** Returns a head whose root is no Buffer, as the verifier decodes it. */
export function plainHead({ size, root }: TreeHead): TreeHead {
  return { size, root: Uint8Array.from(root) };
}
