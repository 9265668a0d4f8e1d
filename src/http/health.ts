import { ApiError } from './api-error.ts';

const IN_WORDS = {
  starting: 'is starting',
  ready: 'is ready',
  leaving: 'is stopping',
  stopping: 'is stopping',
  failed: 'has failed',
} as const;

/** Whether the service takes commands, and if not, what it tells those who ask. */
export class Health {
  #state: keyof typeof IN_WORDS = 'starting';
  /** Why the store cannot be asked, while everything else is well. */
  #trouble: 'has lost its database' | 'waits for its database' | undefined;

  /** The log is folded and writable. */
  ready(): void {
    if (this.#state === 'starting') this.#state = 'ready';
  }

  /**
   * Nobody is to send anything any more; what is sent is answered as before. Only a service that is
   * ready has somebody who has to notice: of any other, nothing changes, and it is false.
   */
  leave(): boolean {
    if (this.#state !== 'ready') return false;
    this.#state = 'leaving';
    return true;
  }

  /** No new request is taken any more. */
  stopping(): void {
    if (this.#state !== 'failed') this.#state = 'stopping';
  }

  /** Nothing can be recorded any more, and the process is about to end. */
  failed(): void {
    this.#state = 'failed';
  }

  /** The store cannot be asked, so nothing can be told or changed. */
  outOfReach(): void {
    this.#trouble ??= 'waits for its database';
  }

  inReach(): void {
    if (this.#trouble === 'waits for its database') this.#trouble = undefined;
  }

  /** The store is not the one any more that was served: somebody has to look. */
  replaced(): void {
    this.#trouble = 'has lost its database';
  }

  get isStarting(): boolean {
    return this.#state === 'starting';
  }

  get hasFailed(): boolean {
    return this.#state === 'failed';
  }

  /** It will not be here for long: an answer is the last one on its connection. */
  get isGoing(): boolean {
    return this.#state !== 'starting' && this.#state !== 'ready';
  }

  /** What /readyz answers. Throws a 503 while the service is anything but ready. */
  requireReady(): { readonly status: 'ready' } {
    this.#refuseUnless(this.#state === 'ready');
    return { status: 'ready' };
  }

  /** Throws a 503 while no request is taken. */
  requireServing(): void {
    this.#refuseUnless(this.#state === 'ready' || this.#state === 'leaving');
  }

  #refuseUnless(isWell: boolean): void {
    const trouble = isWell ? this.#trouble : IN_WORDS[this.#state];
    if (trouble === undefined) return;
    throw new ApiError('service_unavailable', `The service ${trouble}: nothing was changed.`);
  }
}
