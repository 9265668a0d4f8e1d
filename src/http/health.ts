import { IMPAIRMENTS, type Impairment } from '../app/impairment.ts';
import { ApiError } from './api-error.ts';

/** The stages of a process's life, and what they say after "The service …". */
const STAGES = {
  starting: 'is starting',
  ready: 'is ready',
  leaving: 'is stopping',
  stopping: 'is stopping',
  failed: 'has failed',
} as const;

/** Why the service is not ready: a stage of the process, or what is amiss with its store. */
type Reason = Exclude<keyof typeof STAGES, 'ready'> | Impairment;

/** Every reason that /readyz can name. */
export const REASONS: readonly Reason[] = [
  ...(Object.keys(STAGES) as (keyof typeof STAGES)[]).filter((stage) => stage !== 'ready'),
  ...(Object.keys(IMPAIRMENTS) as Impairment[]),
];

/** Whether the service takes requests, and every reason why it does not. */
export class Health {
  #stage: keyof typeof STAGES = 'starting';
  readonly #impairments = new Set<Impairment>();
  /** Those of them that refuse every request, or every command. Looked up once, for each request. */
  #refusingRequests: readonly Impairment[] = [];
  #refusingCommands: readonly Impairment[] = [];

  /** The log is folded and can be read. */
  ready(): void {
    if (this.#stage === 'starting') this.#stage = 'ready';
  }

  /**
   * Nobody is to send anything any more; what is sent is answered as before. Only a service that is
   * ready has somebody who has to notice: of any other, nothing changes, and it is false.
   */
  leave(): boolean {
    if (this.#stage !== 'ready') return false;
    this.#stage = 'leaving';
    return true;
  }

  /** No new request is taken any more. */
  stopping(): void {
    if (this.#stage !== 'failed') this.#stage = 'stopping';
  }

  /** Nothing can be recorded any more, and the process is about to end. */
  failed(): void {
    this.#stage = 'failed';
  }

  /** Notes that something is amiss with the store. Returns whether that is news. */
  impaired(impairment: Impairment): boolean {
    if (this.#impairments.has(impairment)) return false;
    this.#impairments.add(impairment);
    this.#sort();
    return true;
  }

  /** Notes that it is over. Returns whether that is news. */
  mended(impairment: Impairment): boolean {
    const isNews = this.#impairments.delete(impairment);
    this.#sort();
    return isNews;
  }

  get isStarting(): boolean {
    return this.#stage === 'starting';
  }

  get hasFailed(): boolean {
    return this.#stage === 'failed';
  }

  /** It will not be here for long: an answer is the last one on its connection. */
  get isGoing(): boolean {
    return this.#stage !== 'starting' && this.#stage !== 'ready';
  }

  /** Returns what /readyz answers. Throws a 503 that names every reason while there is one. */
  requireReady(): { readonly status: 'ready' } {
    const stage = this.#stage === 'ready' ? [] : [this.#stage];
    const reasons = [...stage, ...this.#impairments];
    if (reasons.length > 0) throw refused(reasons, (reason) => `${saysOf(reason)} (${reason})`);
    return { status: 'ready' };
  }

  /**
   * Throws a 503 while no request like this is taken.
   * @param isCommand Whether the request may change something.
   */
  requireServing(isCommand: boolean): void {
    if (this.#stage !== 'ready' && this.#stage !== 'leaving') throw refused([this.#stage]);
    const refusing = isCommand ? this.#refusingCommands : this.#refusingRequests;
    if (refusing.length > 0) throw refused(refusing);
  }

  #sort(): void {
    const refusing = (...levels: readonly string[]) =>
      [...this.#impairments].filter((name) => levels.includes(IMPAIRMENTS[name].refuses));
    this.#refusingRequests = refusing('requests');
    this.#refusingCommands = refusing('requests', 'commands');
  }
}

/** What a reason says, as a part of a sentence. */
function saysOf(reason: Reason): string {
  return reason in IMPAIRMENTS
    ? IMPAIRMENTS[reason as Impairment].says
    : STAGES[reason as keyof typeof STAGES];
}

function refused(reasons: readonly Reason[], inWords = saysOf): ApiError {
  const message = `The service ${reasons.map(inWords).join(' and ')}: nothing was changed.`;
  return new ApiError('service_unavailable', message);
}
