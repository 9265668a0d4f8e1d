import { MemoryKeyStore } from '../../../src/infra/memory/memory-key-store.ts';
import { keyStoreContract } from '../../contract/key-store.ts';

keyStoreContract('memory', async () => {
  const keys = new MemoryKeyStore();
  return async () => keys;
});
