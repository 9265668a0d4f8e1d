import { MemorySigningKeys } from '../../../src/infra/memory/memory-signing-keys.ts';
import { signingKeysContract } from '../../contract/signing-keys.ts';

signingKeysContract('memory', async () => {
  const keys = new MemorySigningKeys();
  return async () => keys;
});
