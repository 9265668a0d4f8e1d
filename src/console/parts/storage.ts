/**
 * The browser's storage, for the tab and for the next visit. A browser that blocks the data of sites, or has no
 * room for them, keeps nothing: the console goes on without.
 */
import type { KeyStorage } from '../state/key-holder.ts';
import { guarded } from '../state/storage.ts';

export const tabStorage: KeyStorage = guarded(() => sessionStorage);
export const lastingStorage: KeyStorage = guarded(() => localStorage);
