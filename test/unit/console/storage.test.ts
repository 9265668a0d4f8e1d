import { expect, it } from 'vitest';
import { KeyHolder } from '../../../src/console/state/key-holder.ts';
import { guarded } from '../../../src/console/state/storage.ts';

it('A storage keeps what it is given', () => {
  const held = new Map<string, string>();
  const storage = guarded(() => ({
    getItem: (name) => held.get(name) ?? null,
    setItem: (name, value) => held.set(name, value),
    removeItem: (name) => held.delete(name),
  }));
  storage.setItem('a', '1');
  expect(storage.getItem('a')).toBe('1');
  storage.removeItem('a');
  expect(storage.getItem('a')).toBeNull();
});

it('A storage that is blocked keeps nothing, and a key is held without it', () => {
  const storage = guarded(() => {
    throw new DOMException('Access is denied for this document.', 'SecurityError');
  });
  storage.setItem('a', '1');
  expect(storage.getItem('a')).toBeNull();
  const holder = new KeyHolder(storage, () => 0);
  expect(holder.restore()).toBeUndefined();
  holder.hold('sto_key', true);
  holder.touch();
  expect(holder.key).toBe('sto_key');
  holder.drop();
  expect(holder.key).toBeUndefined();
});
