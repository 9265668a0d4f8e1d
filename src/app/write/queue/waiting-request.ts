/** Requests in the queue: their clients, their sizes, and their answers. */

import type { Outcome, Submission } from '../../log/submission.ts';

/** The sender of a request, for as long as it waits. */
export interface Client {
  /** True if nobody will receive the outcome. */
  readonly isGone: boolean;
}

/** A request that is in no batch yet, and how its client gets the outcomes. */
export interface WaitingRequest {
  /** One, or a group. */
  readonly submissions: readonly Submission[];
  /** Takes an outcome for each submission. */
  readonly resolve: (outcomes: readonly Outcome[]) => void;
  /** Absent for a request that is executed in any case. */
  readonly client?: Client | undefined;
}

/** Returns the number of commands of a request. */
export function sizeOf({ submissions }: WaitingRequest): number {
  return submissions.length;
}

/** Returns the commands of some requests, each group in one piece. */
export function submissionsOf(requests: readonly WaitingRequest[]): readonly Submission[] {
  return requests.flatMap(({ submissions }) => submissions);
}

/** Returns the number of commands of some requests. */
export function commandsIn(requests: readonly WaitingRequest[]): number {
  return requests.reduce((sum, request) => sum + sizeOf(request), 0);
}

/** Answers requests with the same outcome for each of their commands. */
export function answerAll(requests: readonly WaitingRequest[], outcome: Outcome): void {
  for (const { submissions, resolve } of requests) resolve(submissions.map(() => outcome));
}

/** Answers requests with the outcomes of their commands, one behind the other. */
export function answerEach(
  requests: readonly WaitingRequest[],
  outcomes: readonly Outcome[],
): void {
  let answered = 0;
  for (const { submissions, resolve } of requests) {
    const end = answered + submissions.length;
    resolve(outcomes.slice(answered, end));
    answered = end;
  }
}

export function isGone({ client }: WaitingRequest): boolean {
  return client?.isGone === true;
}

export function isKeyed({ submissions: [first] }: WaitingRequest): boolean {
  return first?.idempotencyKey !== undefined;
}
