/** The reader's device: the zone that times are shown in, and the state of its network. */
import { signal } from '@preact/signals';
import type { Zone } from '../state/times.ts';

export const zone = signal<Zone>('utc');
export const isOnline = signal(navigator.onLine);
