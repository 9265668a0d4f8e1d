/**
 * The files of witnesses: the policy that an operator has written, and the record of what was
 * cosigned. The record is JSON, readable by its owner only, and is not flushed: a power cut may
 * lose it, and the next start then asks the witnesses again.
 */

import { renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { parseWitnessPolicy, type WitnessPolicy } from '../../app/audit/proofs/witness-policy.ts';
import { UserError } from '../../app/lifecycle/user-error.ts';
import type { CosignedRecord, CosignedRecords } from '../../app/ports/witnesses.ts';
import type { Witness } from '../../app/witnessing/witness-progress.ts';
import { makeFolder } from './make-folder.ts';
import { jsonIn, readPlainText } from './small-file.ts';
import { giveToStoreOwner } from './store-owner.ts';

/** A policy whose witnesses all have an address. */
interface PolicyWithAddresses extends WitnessPolicy {
  readonly witnesses: readonly Witness[];
}

/**
 * Reads the policy of a log's witnesses. Throws {@link UserError} for a file that is no policy, and
 * for a witness without an address to which checkpoints can be submitted.
 */
export function readLogPolicy(file: string): PolicyWithAddresses {
  const parsed = parseWitnessPolicy(readPolicyText(file));
  if (!parsed.ok) throw wrong(`${file} is no policy of witnesses: ${parsed.reason}`);
  const { value: policy } = parsed;
  if (policy.witnesses.length === 0) throw wrong(`${file} names no witness`);
  return { ...policy, witnesses: policy.witnesses.map((witness) => withAddress(witness, file)) };
}

function readPolicyText(file: string): string {
  try {
    return readPlainText(file);
  } catch (error) {
    throw wrong(`${file} cannot be read: ${(error as Error).message}`);
  }
}

function withAddress(
  { name, key, url }: WitnessPolicy['witnesses'][number],
  file: string,
): Witness {
  if (url === undefined) throw wrong(`the witness ${name} has no address in ${file}`);
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  // No message repeats the address: it may have a password in it.
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw wrong(`the address of the witness ${name} in ${file} is not one of http or https`);
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw wrong(`the address of the witness ${name} in ${file} has a user or a password`);
  }
  if (/[?#]/.test(url)) {
    throw wrong(`the address of the witness ${name} in ${file} has a query or a fragment`);
  }
  return { name, key, url };
}

function wrong(problem: string): UserError {
  return new UserError(`WITNESS_POLICY: ${problem}.`);
}

const FORMAT = 'store-orders/cosigned/v1';

const Stored = z.strictObject({
  format: z.literal(FORMAT),
  origin: z.string(),
  sizes: z.record(z.string(), z.int().min(0)),
  checkpoint: z.string().optional(),
});

/** Returns the file of the record of a store, in which the service can write. */
export function cosignedFileOf(databaseFile: string | undefined, storeId: string): string {
  return `${databaseFile ?? `./data/postgres-${storeId}`}-cosigned`;
}

/** A record in a file. */
export class CosignedFile implements CosignedRecords {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  load(): CosignedRecord | undefined {
    try {
      const { origin, sizes, checkpoint } = Stored.parse(jsonIn(readPlainText(this.#file)));
      return { origin, sizes, checkpoint };
    } catch {
      return undefined;
    }
  }

  save(record: CosignedRecord): void {
    // With a store in PostgreSQL, nothing else may be in the data folder.
    makeFolder(dirname(this.#file));
    // Instances on one machine may share the folder.
    const unfinished = `${this.#file}-new-${process.pid}`;
    writeFileSync(unfinished, `${JSON.stringify({ format: FORMAT, ...record })}\n`, {
      mode: 0o600,
    });
    giveToStoreOwner(unfinished);
    renameSync(unfinished, this.#file);
  }
}
