import { join } from 'node:path';
import { openSigningKey } from '../../../src/infra/signing-key-file.ts';

/** Opens so many signing keys in a folder, each of which others may be making, and tells them. */
const [, , folder = '', count = '', storeId = ''] = process.argv;

const keys = Array.from({ length: Number(count) }, (_, n) => {
  const place = { databaseFile: '', signingKeyFile: join(folder, `key-${n}`) };
  return openSigningKey(place, storeId)?.verifierKey;
});
process.stdout.write(`${keys.join(' ')}\n`);
