/**
 * The composition that the command line runs on: the service, and the configured store. Each module
 * is loaded where it is needed first: most commands need few of them, and all of them take a while.
 */

import type { Engine } from './app/ports/engine.ts';
import type { Composition, GivenSettings } from './cli/shared/command-line.ts';
import type { SigningKeyPlace } from './infra/process/signing-key-file.ts';
import type { Config } from './infra/settings/config.ts';

export const composition: Composition = {
  environment: process.env,
  async serve(given) {
    const { serve } = await import('./service.ts');
    await serve(await configure(given));
  },
  async demo() {
    const { demo } = await import('./demo.ts');
    await demo(await configure());
  },
  async witness(...given) {
    const { serveWitness } = await import('./witness.ts');
    protectFiles();
    await serveWitness(...given);
  },
  async settings(given = {}) {
    const { readDotEnv } = await import('./infra/settings/dot-env.ts');
    const { settingsOf } = await import('./infra/settings/in-force.ts');
    return settingsOf({ given, environment: process.env, dotEnv: readDotEnv() });
  },
  engine,
  async proverOf(store) {
    const { openSigningKey } = await import('./infra/process/signing-key-file.ts');
    const { Prover } = await import('./app/audit/proving/prover.ts');
    const place = await keyPlace();
    const signer = await openSigningKey(place, store);
    const witnesses = await witnessesFor(place, store);
    const prover = new Prover(store.trail, signer, store.epochs, witnesses?.cosigned);
    if (witnesses !== undefined && signer !== undefined) {
      const { restoreCosigned } = await import('./app/witnessing/restore.ts');
      await restoreCosigned(witnesses.records.load(), witnesses.cosigned, prover);
    }
    return prover;
  },
  async newSigningKey(store) {
    const { renewSigningKey } = await import('./infra/process/signing-key-file.ts');
    return renewSigningKey(await keyPlace(), store);
  },
  async verifierKey() {
    const { readVerifierKey } = await import('./infra/process/signing-key-file.ts');
    return readVerifierKey(await keyPlace());
  },
  async signer() {
    const { readSigner } = await import('./infra/process/signing-key-file.ts');
    return readSigner(await keyPlace());
  },
  async lock(file, taken, waitMs) {
    const { lock } = await import('./infra/sqlite/start/server-lock.ts');
    return lock(file, taken, waitMs);
  },
  async workingTable() {
    const { openWorkingTable } = await import('./infra/sqlite/working-table.ts');
    return openWorkingTable();
  },
  async decoder() {
    const { decodeStrictly } = await import('./infra/events/codec.ts');
    return decodeStrictly;
  },
};

async function engine(address?: string): Promise<Engine> {
  const { engineOf } = await import('./engines.ts');
  if (address !== undefined) {
    const { readDatabaseUrl } = await import('./infra/settings/config.ts');
    protectFiles();
    return engineOf(readDatabaseUrl(address));
  }
  const config = await configure();
  return engineOf(config.database, config);
}

async function keyPlace(): Promise<SigningKeyPlace> {
  const { engineOf } = await import('./engines.ts');
  const config = await configure();
  const { file } = await engineOf(config.database, config);
  return { databaseFile: file, ...config };
}

/** Returns the witnesses of the configured log, if it has any. */
async function witnessesFor({ databaseFile }: SigningKeyPlace, { id }: { readonly id: string }) {
  const config = await configure();
  if (config.witnessing === undefined) return undefined;
  const { witnessesOf } = await import('./witnesses.ts');
  return witnessesOf(config, databaseFile, id);
}

async function configure(given: GivenSettings = {}): Promise<Config> {
  const { configOf } = await import('./infra/settings/in-force.ts');
  const { loadDotEnv } = await import('./infra/settings/dot-env.ts');
  protectFiles();
  // Into the environment, where PGUSER and PGPASSWORD are read from.
  loadDotEnv();
  return configOf({ given, environment: process.env, dotEnv: {} });
}

/** Makes new files readable by their owner only: a store contains the hashes of keys. */
function protectFiles(): void {
  process.umask(0o077);
}
