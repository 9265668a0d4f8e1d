/** The check of everything in a store, which is repeated for as long as the store is served. */
export interface StoreCheck {
  /**
   * Resolves when everything was read and checked once. Rejects with {@link DamagedStore} for
   * anything that differs from what was recorded.
   */
  readonly once: Promise<void>;
  /** True if the first check takes so little time that every start waits for it. */
  readonly isShort: boolean;
}
