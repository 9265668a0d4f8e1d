import { expect, it } from 'vitest';
import { newFolder, start } from '../support/service.ts';

it('A start that may use too little memory for its store is refused in one sentence', async () => {
  // The limit of a container, as Node reports it.
  const limit = 'process.constrainedMemory=()=>50000000';
  const env = { PORT: '0', NODE_OPTIONS: `--import=data:text/javascript,${limit}` };
  await using program = start(['serve'], newFolder(), env);
  expect(await program.ended()).toBe(1);
  expect(program.stderr).toMatch(
    /^[^\n]*the store has 0 events and needs at least 68 MB of memory, and this process may use 50 MB: raise the memory limit of its container or service\.?\n$/,
  );
});
