/** What checks all that lies in a store, again and again, for as long as the store is served. */
export interface StoreCheck {
  /**
   * Resolves when everything was read and checked once. Rejects with {@link DamagedStore} where
   * something is not what was recorded.
   */
  readonly once: Promise<void>;
  /** Whether that takes so little time that every start waits for it. */
  readonly isShort: boolean;
}
