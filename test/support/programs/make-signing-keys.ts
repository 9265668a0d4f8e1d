import { join } from 'node:path';
import { MemorySigningKeys } from '../../../src/infra/memory/signing-keys.ts';
import { openSigningKey } from '../../../src/infra/process/signing-key-file.ts';

/**
 * Opens signing keys in a folder while other processes may create the same ones, and prints them.
 */
const [, , folder = '', count = '', id = ''] = process.argv;

const keys: (string | undefined)[] = [];
for (let n = 0; n < Number(count); n += 1) {
  const place = { databaseFile: '', signingKeyFile: join(folder, `key-${n}`) };
  const store = { id, signingKeys: new MemorySigningKeys() };
  keys.push((await openSigningKey(place, store))?.verifierKey);
}
process.stdout.write(`${keys.join(' ')}\n`);
