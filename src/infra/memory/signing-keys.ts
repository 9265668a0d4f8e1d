import type { SignedWith, SigningKeys } from '../../app/ports/signing-keys.ts';

/** The record of signing keys in memory: the port's reference implementation, for tests. */
export class MemorySigningKeys implements SigningKeys {
  readonly #keys: SignedWith[] = [];

  async list(): Promise<readonly SignedWith[]> {
    return [...this.#keys];
  }

  async add(key: SignedWith, known: number): Promise<boolean> {
    if (this.#keys.length !== known) return false;
    this.#keys.push(key);
    return true;
  }
}
