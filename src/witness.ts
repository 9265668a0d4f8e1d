/** The life of a witness: open its memory with its key, listen, and stop. */

import { once } from 'node:events';
import { Cosigner } from './app/audit/witness/cosigner.ts';
import { Witness } from './app/audit/witness/witness.ts';
import { UserError } from './app/lifecycle/user-error.ts';
import type { RunningWitness, WitnessSettings } from './cli/shared/command-line.ts';
import { Health } from './http/health.ts';
import { HttpServer } from './http/server.ts';
import { createWitnessApp } from './http/witness-app.ts';
import { makeKeyFile, readKeyFile, removeUnfinished } from './infra/process/key-file.ts';
import { createLogger } from './infra/process/logger.ts';
import { openWitnessMemory } from './infra/sqlite/witness/memory-file.ts';

const MAX_CONNECTIONS = 1_000;
/** A log needs one connection, and some proxies have a pool. */
const MAX_CONNECTIONS_PER_ADDRESS = 100;
/** The time for which a client may read nothing of its response. */
const READER_PATIENCE_MS = 20_000;

/** Runs a witness until the signal aborts. */
export async function serveWitness(
  settings: WitnessSettings,
  signal: AbortSignal,
  running: (witness: RunningWitness) => void,
): Promise<void> {
  const { databaseFile, logs, host, port, perMinute } = settings;
  const { cosigner, memory } = openWitnessMemory(databaseFile, keyOf(settings));
  await using opened = new AsyncDisposableStack();
  opened.defer(() => memory.close());
  const { logger, flush } = createLogger('info');
  opened.defer(() => {
    logger.info('stopped');
    return flush();
  });
  const health = new Health();
  const witness = new Witness({ cosigner, logs, memory });
  const app = createWitnessApp({ witness, logger, health, perMinute });
  const server = new HttpServer(app, health, {
    maxConnections: MAX_CONNECTIONS,
    maxPerAddress: MAX_CONNECTIONS_PER_ADDRESS,
    patienceMs: READER_PATIENCE_MS,
    log: logger,
  });
  const address = await server.listen(port, host);
  opened.defer(() => server.close());
  health.ready();
  logger.info({ address, witness: cosigner.verifierKey }, 'ready');
  running({ address, verifierKey: cosigner.verifierKey });
  if (!signal.aborted) await once(signal, 'abort');
  health.stopping();
}

function keyOf({ keyFile, name }: WitnessSettings) {
  const kind = {
    parse: Cosigner.parse,
    wayOut: 'Name the file of a witness, or one that is not there yet.',
  };
  return {
    file: keyFile,
    read() {
      const key = readKeyFile(keyFile, kind);
      if (key !== undefined) removeUnfinished(keyFile);
      if (key === undefined || name === undefined || key.name === name) return key;
      throw new UserError(`${keyFile} has the key of ${key.name}, not of ${name}.`);
    },
    make() {
      if (name === undefined) {
        throw new UserError(
          `There is no key ${keyFile}. To make one, give the witness a name: --name example.com/w1`,
        );
      }
      const key = Cosigner.generate(name);
      // Two files of one key would be two witnesses who know nothing of each other.
      if (makeKeyFile(keyFile, key, kind) === key) return key;
      throw new UserError(`Another process has made ${keyFile} meanwhile.`);
    },
  };
}
