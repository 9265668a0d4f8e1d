import { Prover } from './app/audit/prover.ts';
import type { Engine } from './app/ports/engine.ts';
import type { Composition } from './cli/shared/command-line.ts';
import { engineOf } from './engines.ts';
import { decodeStrictly } from './infra/events/codec.ts';
import { type Config, loadDotEnv, readConfig, readDatabaseUrl } from './infra/process/config.ts';
import {
  openSigningKey,
  readVerifierKey,
  renewSigningKey,
  type SigningKeyPlace,
} from './infra/process/signing-key-file.ts';

/** The composition that the command line runs on: the service, and the configured store. */
export const composition: Composition = {
  async serve(given) {
    const { serve } = await import('./service.ts');
    await serve(configure(given));
  },
  async demo() {
    const { demo } = await import('./service.ts');
    await demo(configure());
  },
  engine,
  async proverOf(store) {
    const signer = await openSigningKey(await keyPlace(), store);
    return new Prover(store.trail, signer, store.epochs);
  },
  newSigningKey: async (store) => renewSigningKey(await keyPlace(), store),
  verifierKey: async () => readVerifierKey(await keyPlace()),
  decode: decodeStrictly,
};

async function engine(address?: string): Promise<Engine> {
  if (address !== undefined) {
    protectFiles();
    return engineOf(readDatabaseUrl(address));
  }
  const config = configure();
  return engineOf(config.database, config);
}

async function keyPlace(): Promise<SigningKeyPlace> {
  const config = configure();
  const { file } = await engineOf(config.database, config);
  return { databaseFile: file, signingKeyFile: config.signingKeyFile };
}

function configure(given: Readonly<Record<string, string>> = {}): Config {
  protectFiles();
  loadDotEnv();
  return readConfig({ ...process.env, ...given });
}

/** Makes new files readable by their owner only: a store holds the hashes of keys, among others. */
function protectFiles(): void {
  process.umask(0o077);
}
