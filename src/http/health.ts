import { ApiError } from './api-error.ts';

/** Whether the service takes commands, and if not, what it tells those who ask. */
export class Health {
  #state: 'starting' | 'ready' | 'stopping' | 'failed' = 'starting';

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

  get isStarting(): boolean {
    return this.#state === 'starting';
  }

  get hasFailed(): boolean {
    return this.#state === 'failed';
  }

  /** What /readyz answers. Throws a 503 while the service is anything but ready. */
  requireReady(): { readonly status: 'ready' } {
    if (this.#state === 'ready') return { status: 'ready' };
    throw new ApiError(
      'service_unavailable',
      `The service is ${this.#state}: nothing was changed.`,
    );
  }
}
