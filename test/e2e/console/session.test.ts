import { expect, test } from 'vitest';
import { startProgram } from '../../support/child.ts';

test('A late answer to an earlier key changes nothing of the key that is held', async () => {
  const { line } = startProgram('console-session');
  const refused = 'The service does not accept this key.';
  expect(await line()).toBe(`a key that is refused: none. ${refused}`);
  const dropped = 'The service no longer accepts the key.';
  expect(await line()).toBe(`a key that is refused later: none. ${dropped}`);
  expect(await line()).toBe('a late refusal of the key before: new. ');
  expect(await line()).toBe('a late refusal of a key that was tried before: new. ');
  expect(await line()).toBe('a late acceptance of it: new. ');
  expect(await line()).toBeUndefined();
});
