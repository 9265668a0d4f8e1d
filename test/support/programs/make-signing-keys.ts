import { join } from 'node:path';
import { MemorySigningKeys } from '../../../src/infra/memory/memory-signing-keys.ts';
import { openSigningKey } from '../../../src/infra/signing-key-file.ts';

/** Opens so many signing keys in a folder, each of which others may be making, and tells them. */
const [, , folder = '', count = '', id = ''] = process.argv;

const keys: (string | undefined)[] = [];
for (let n = 0; n < Number(count); n += 1) {
  const place = { databaseFile: '', signingKeyFile: join(folder, `key-${n}`) };
  const store = { id, signingKeys: new MemorySigningKeys() };
  keys.push((await openSigningKey(place, store))?.verifierKey);
}
process.stdout.write(`${keys.join(' ')}\n`);
