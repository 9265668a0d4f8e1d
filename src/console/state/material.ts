/** The things that can be verified, or that help to do so, recognized by their texts. */

import { isTlogProof } from '../../app/audit/proofs/tlog-proof.ts';
import { membersIn } from '../../client/exact-json.ts';
import type { Folder } from './tile-folder.ts';
import { isKey } from './verifier-key.ts';

export type Material = {
  /** The name of the file that it was in. */
  readonly name?: string;
} & (
  | { readonly kind: 'key' | 'receipt' | 'checkpoint' | 'policy'; readonly text: string }
  /** A proof that the log of one size begins with that of another. */
  | {
      readonly kind: 'consistency';
      readonly from: number;
      readonly to: number;
      readonly proof: readonly string[];
    }
  /** The signed statements of all breaks of a log. */
  | { readonly kind: 'breaks'; readonly notes: readonly string[] }
  | { readonly kind: 'export'; readonly file: Blob; readonly name: string }
  /** A folder of tiles, with its files by their paths. */
  | { readonly kind: 'tiles'; readonly folder: Folder; readonly name: string }
);

/** The most bytes of a text: only exports are longer, and those are not read as one text. */
export const MAX_TEXT_BYTES = 1 << 20;

/** A line of a policy of witnesses (C2SP tlog-policy). */
const POLICY_LINE = /^[ \t]*(?:log|witness|group|quorum)[ \t]/m;

/** The beginning of a signed statement, as `audit epochs` prints one for each break. */
const STATEMENT = /^\{.*\n\n— /;

/** Returns true for the beginning of an export, also of one that was changed before it and is to be refused. */
export function isExport(text: string): boolean {
  return text.trimStart().startsWith('{"specversion"');
}

/** Returns the material in a text that is no export; `undefined` if it is of no known kind. */
export function readMaterial(text: string): Material | undefined {
  // Editors of Windows end lines in their own way; `trim` removes a byte order mark, too.
  const trimmed = text.trim().replaceAll('\r\n', '\n');
  if (isKey(trimmed)) return { kind: 'key', text: trimmed };
  // A pasted text may lack the line feed at the end.
  const whole = `${trimmed}\n`;
  const notes = whole.split(/(?<=\n)\n(?=\{)/);
  if (notes.every((note) => STATEMENT.test(note))) return { kind: 'breaks', notes };
  if (trimmed.startsWith('{')) return readObject(trimmed);
  if (isTlogProof(whole)) return { kind: 'receipt', text: whole };
  if (/\n\n— /.test(whole)) return { kind: 'checkpoint', text: whole };
  return POLICY_LINE.test(whole) ? { kind: 'policy', text: whole } : undefined;
}

/** Returns the material in an answer. Throws if it is not the proof between two sizes of the log. */
export function consistencyIn(text: string, from: number, to: number): Material {
  const found = readMaterial(text);
  const isIt = found?.kind === 'consistency' && found.from === from && found.to === to;
  if (!isIt) throw new Error(`The answer is not the proof from ${from} to ${to} events.`);
  return found;
}

/** Returns the material in an answer. Throws if it is not the statements of all breaks. */
export function breaksIn(text: string): Material {
  const found = readMaterial(text);
  if (found?.kind !== 'breaks') throw new Error('The answer is not the statements of the breaks.');
  return found;
}

/** Returns the material in an object. One that is none of the others is a receipt to be refused. */
function readObject(text: string): Material {
  const { from, to, proof, breaks } = membersIn(text);
  if (isTexts(proof) && typeof from === 'number' && typeof to === 'number') {
    return { kind: 'consistency', from, to, proof };
  }
  return isTexts(breaks) ? { kind: 'breaks', notes: breaks } : { kind: 'receipt', text };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
