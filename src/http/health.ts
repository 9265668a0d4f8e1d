import { ApiError } from './api-error.ts';

/** Whether the service takes commands, and if not, what it tells those who ask. */
export class Health {
  #state: 'starting' | 'ready' | 'stopping' | 'failed' = 'starting';
  /** Why the store cannot be asked, while everything else is well. */
  #trouble: 'has lost its database' | 'waits for its database' | undefined;

  /** The log is folded and writable. */
  ready(): void {
    if (this.#state === 'starting') this.#state = 'ready';
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

  /** What /readyz answers. Throws a 503 while the service is anything but ready. */
  requireReady(): { readonly status: 'ready' } {
    const trouble = this.#state === 'ready' ? this.#trouble : `is ${this.#state}`;
    if (trouble === undefined) return { status: 'ready' };
    throw new ApiError('service_unavailable', `The service ${trouble}: nothing was changed.`);
  }
}
