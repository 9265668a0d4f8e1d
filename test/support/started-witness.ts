/** A witness as `store-orders witness` starts it. */
import { newFolder, type Program, start } from './service.ts';
import type { WitnessedLog } from './witnessed-log.ts';

/** Starts a witness of a log in a new folder. Returns the program, which the caller ends, and its address. */
export async function startedWitness(log: WitnessedLog): Promise<[Program, string]> {
  const files = ['--db', 'w.db', '--key', 'w.key', '--name', 'witness.example/w'];
  const options = ['--port', '0', ...files, '--log', log.signer.verifierKey];
  const program = start(['witness', ...options], newFolder());
  const [, address = ''] = await program.until(
    ({ stderr }) => /answers at (\S+)\n/.exec(stderr) ?? undefined,
  );
  return [program, address];
}
