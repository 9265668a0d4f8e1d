/** The readiness of the service: its stage of life, and the impairments of its store. */
import type { Request, RequestHandler } from 'express';
import { IMPAIRMENTS, type Impairment } from '../app/ports/impairment.ts';
import { ApiError } from './api-error.ts';

/**
 * The stages of a process's life, each with the predicate of a sentence that begins with "The
 * service".
 */
const STAGES = {
  starting: 'is starting',
  ready: 'is ready',
  leaving: 'is stopping',
  stopping: 'is stopping',
  failed: 'has failed',
} as const;

/** A reason for not being ready: a stage of the process, or an impairment of its store. */
type Reason = Exclude<keyof typeof STAGES, 'ready'> | Impairment;

/** Every reason that /readyz can name. */
export const REASONS: readonly Reason[] = [
  ...(Object.keys(STAGES) as (keyof typeof STAGES)[]).filter((stage) => stage !== 'ready'),
  ...(Object.keys(IMPAIRMENTS) as Impairment[]),
];

/** The methods that change nothing (RFC 9110, section 9.2.1): all others are of commands. */
const READING_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Decides if requests are accepted, and names every reason why not. */
export class Health {
  #stage: keyof typeof STAGES = 'starting';
  readonly #impairments = new Set<Impairment>();
  /** The impairments that refuse every request, or every command. */
  #refusingRequests: readonly Impairment[] = [];
  #refusingCommands: readonly Impairment[] = [];

  /** Notes that the log is folded: the service is ready. */
  ready(): void {
    if (this.#stage === 'starting') this.#stage = 'ready';
  }

  /**
   * Begins the period in which clients should stop sending; requests are still answered. Returns
   * false, and changes nothing, if the service was not ready: it had no clients.
   */
  leave(): boolean {
    if (this.#stage !== 'ready') return false;
    this.#stage = 'leaving';
    return true;
  }

  /** Refuses new requests from now on. */
  stopping(): void {
    if (this.#stage !== 'failed') this.#stage = 'stopping';
  }

  /** Notes that nothing can be recorded any more, so the process is about to end. */
  failed(): void {
    this.#stage = 'failed';
  }

  /** Notes an impairment of the store. Returns true if it is new. */
  impaired(impairment: Impairment): boolean {
    if (this.#impairments.has(impairment)) return false;
    this.#impairments.add(impairment);
    this.#sort();
    return true;
  }

  /** Notes the end of an impairment. Returns true if it had begun. */
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

  /** True if the process ends soon: each response is then the last one on its connection. */
  get isGoing(): boolean {
    return this.#stage !== 'starting' && this.#stage !== 'ready';
  }

  /** The reasons why the service is not ready; empty while it is. */
  get reasons(): readonly Reason[] {
    return [...(this.#stage === 'ready' ? [] : [this.#stage]), ...this.#impairments];
  }

  /**
   * Returns the body of /readyz. Throws a 503 that names every reason if the service is not ready.
   */
  requireReady(): { readonly status: 'ready' } {
    const { reasons } = this;
    if (reasons.length > 0) throw refused(reasons, (reason) => `${saysOf(reason)} (${reason})`);
    return { status: 'ready' };
  }

  /** Lets a request pass, or throws its {@link refusal}. */
  readonly admit: RequestHandler = (req, _res, next) => {
    const refusal = this.refusal(req);
    if (refusal !== undefined) throw refusal;
    return next();
  };

  /** Returns the 503 with which such a request is refused at present; undefined if it is not. */
  refusal({ method }: Pick<Request, 'method'>): ApiError | undefined {
    if (this.#stage !== 'ready' && this.#stage !== 'leaving') return refused([this.#stage]);
    const refusing = READING_METHODS.has(method) ? this.#refusingRequests : this.#refusingCommands;
    return refusing.length > 0 ? refused(refusing) : undefined;
  }

  #sort(): void {
    const refusing = (...levels: readonly string[]) =>
      [...this.#impairments].filter((name) => levels.includes(IMPAIRMENTS[name].refuses));
    this.#refusingRequests = refusing('requests');
    this.#refusingCommands = refusing('requests', 'commands');
  }
}

/** Returns the predicate for a reason, as a part of a sentence. */
function saysOf(reason: Reason): string {
  return reason in IMPAIRMENTS
    ? IMPAIRMENTS[reason as Impairment].says
    : STAGES[reason as keyof typeof STAGES];
}

function refused(reasons: readonly Reason[], inWords = saysOf): ApiError {
  const message = `The service ${reasons.map(inWords).join(' and ')}: nothing was changed.`;
  return new ApiError('service_unavailable', message);
}
