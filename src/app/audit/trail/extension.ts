/** Tells a log that has grown from one that was exchanged for a longer one. */

import { consistencyProof, TILE_HASHES, type TreeSource } from '../../log/merkle-proofs.ts';
import { Frontier, leadsTo, sizeOf, type TreeHead } from '../../log/merkle-tree.ts';
import { verifyConsistency } from '../proofs/verifier.ts';
import { orDamaged } from './checked-trail.ts';

/**
 * Returns true if the log of a right edge begins with that of an edge known before. A few new events
 * are hashed; for many, a proof of about as many hashes is made, however many they are. Throws
 * {@link DamagedStore} if stored hashes are missing.
 * @param known The known edge: see {@link Frontier.pack}.
 * @param source The tree of the log, at least up to the size of `edge`.
 */
export async function isExtension(
  known: Buffer,
  edge: Buffer,
  source: TreeSource,
): Promise<boolean> {
  const [from, to] = [sizeOf(known), sizeOf(edge)];
  if (to <= from) return edge.equals(known);
  if (to - from <= TILE_HASHES) {
    return leadsTo(known, edge, (await source.leaves(from, to - from)) as Buffer[]);
  }
  return isConsistent(Frontier.unpack(known).head(), Frontier.unpack(edge).head(), source);
}

/**
 * Returns true if the tree of a head begins with that of an older head. Throws {@link DamagedStore}
 * if hashes that the proof needs are missing.
 * @param source The tree, at least up to the size of `newer`.
 */
export async function isConsistent(
  older: TreeHead,
  newer: TreeHead,
  source: TreeSource,
): Promise<boolean> {
  if (older.size > newer.size) return false;
  const proof = await orDamaged(() => consistencyProof(older.size, newer.size, source));
  return verifyConsistency(older, newer, proof).ok;
}
