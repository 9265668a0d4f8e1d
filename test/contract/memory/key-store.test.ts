import { MemoryKeyStore } from '../../../src/infra/memory/key-store.ts';
import { keyStoreContract } from '../key-store.ts';

keyStoreContract('memory', async () => {
  const keys = new MemoryKeyStore();
  return async () => keys;
});
