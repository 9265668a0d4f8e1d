import { MemorySigningKeys } from '../../../src/infra/memory/signing-keys.ts';
import { signingKeysContract } from '../signing-keys.ts';

signingKeysContract('memory', async () => {
  const keys = new MemorySigningKeys();
  return async () => keys;
});
