import { Cosigner } from '../../src/app/audit/witness/cosigner.ts';
import { knownLogs } from '../../src/app/audit/witness/submitted-checkpoint.ts';
import { Witness } from '../../src/app/audit/witness/witness.ts';
import { openWitnessMemory } from '../../src/infra/sqlite/witness/memory-file.ts';
import { seed, type WitnessedLog } from './witnessed-log.ts';

/** Returns a witness of a log in this process, with a constant key, and its memory in a file. */
export function witnessOn(file: string, log: WitnessedLog, state: 'new' | 'used') {
  const cosigner = new Cosigner('witness.example/w1', seed(4));
  const logs = knownLogs([log.signer.verifierKey]);
  if (!logs.ok) throw new Error(logs.reason);
  const { memory } = openWitnessMemory(file, {
    file: 'w1.key',
    read: () => (state === 'new' ? undefined : cosigner),
    make: () => cosigner,
  });
  const witness = new Witness({ cosigner, logs: logs.value, memory });
  return {
    add: (body: string) => witness.add(body),
    checkpointOf: (originHash: string) => witness.checkpointOf(originHash),
    close: () => memory.close(),
  };
}
