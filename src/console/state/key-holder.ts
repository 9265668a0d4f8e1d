/**
 * Holds the API key of a reader: in memory, and for the tab in its session storage if that is asked
 * for. The key is dropped when the service refuses it, when the reader leaves or forgets it, and
 * after 30 idle minutes. Invariant: without a key in memory there is none in storage either.
 */

export const IDLE_MS_MAX = 30 * 60_000;

const ENTRY = 'store-orders-console-key';

/** The part of a session storage that is used. */
export type KeyStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

interface Entry {
  readonly key: string;
  readonly usedAt: number;
}

export class KeyHolder {
  readonly #storage: KeyStorage;
  readonly #now: () => number;
  #held: Entry | undefined;
  #isForTab = false;

  /** @param now Returns milliseconds, which never decrease within a page. */
  constructor(storage: KeyStorage, now: () => number) {
    this.#storage = storage;
    this.#now = now;
  }

  /** Returns the key, or `undefined` if there is none or it has been idle for too long. */
  get key(): string | undefined {
    if (this.#held !== undefined && this.#isIdle(this.#held)) this.drop();
    return this.#held?.key;
  }

  /** Takes a key from the tab's storage, where an earlier page of the tab was asked to keep it. */
  restore(): string | undefined {
    const entry = this.#read();
    if (entry !== undefined && !this.#isIdle(entry)) {
      // The clock may have been set back since: the key would be held for longer by as much.
      this.#held = { ...entry, usedAt: Math.min(entry.usedAt, this.#now()) };
      this.#isForTab = true;
      this.#write();
    } else {
      this.drop();
    }
    return this.#held?.key;
  }

  /** @param isForTab Keeps the key through a reload of the page, until the tab is closed. */
  hold(key: string, isForTab: boolean): void {
    this.drop();
    this.#held = { key, usedAt: this.#now() };
    this.#isForTab = isForTab;
    this.#write();
  }

  /** Notes that the reader has done something. */
  touch(): void {
    const { key } = this;
    if (key === undefined) return;
    this.#held = { key, usedAt: this.#now() };
    this.#write();
  }

  /** Forgets the key, in the tab's storage too. */
  drop(): void {
    this.#held = undefined;
    this.#isForTab = false;
    this.#storage.removeItem(ENTRY);
  }

  /** Forgets the key with the page. One that was to be kept for the tab stays in its storage. */
  leave(): void {
    if (!this.#isForTab) this.drop();
    this.#held = undefined;
  }

  #isIdle({ usedAt }: Entry): boolean {
    return this.#now() - usedAt >= IDLE_MS_MAX;
  }

  #write(): void {
    if (this.#isForTab) this.#storage.setItem(ENTRY, JSON.stringify(this.#held));
  }

  #read(): Entry | undefined {
    try {
      const { key, usedAt } = JSON.parse(this.#storage.getItem(ENTRY) ?? '{}') as Partial<Entry>;
      const isEntry = typeof key === 'string' && typeof usedAt === 'number';
      return isEntry ? { key, usedAt } : undefined;
    } catch {
      return undefined;
    }
  }
}
