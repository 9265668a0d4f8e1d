/** The two ways in which a follower delivers an event: to a command, and to a URL. */

import type { NoteSigner } from '../../app/audit/proving/checkpoint.ts';
import { webhookHeaders, webhookIdOf } from '../../app/audit/proving/webhook.ts';
import { CLOCKS } from '../../app/clock.ts';
import { causeOf } from '../../app/outgoing.ts';
import type { OrderEvent } from '../../client/client.ts';
import { retryAfterOf } from '../../client/retry-policy.ts';
import { endInWords, runInShell } from './shell-command.ts';

/** The outcome of an attempt. */
export type Delivered =
  | { readonly kind: 'delivered' }
  /** The receiver has refused this event, or failed at it. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** The receiver is not there: that says nothing about the event. */
  | { readonly kind: 'away'; readonly reason: string; readonly retryAfterMs?: number | undefined }
  /** The receiver wants no more events. */
  | { readonly kind: 'gone'; readonly reason: string };

export type Deliver = (event: OrderEvent) => Promise<Delivered>;

/** EX_TEMPFAIL of sysexits.h: a command exits with it if it cannot reach what it delivers to. */
const TEMPORARY_FAILURE = 75;

/** Returns a delivery that runs a command in a shell, with the event on its standard input. */
export function toCommand(command: string, timeoutMs: number): Deliver {
  return async (event) => {
    const ended = await runInShell(command, { timeoutMs, input: `${JSON.stringify(event)}\n` });
    if (ended.code === 0) return { kind: 'delivered' };
    const isAway = ended.code === TEMPORARY_FAILURE || ended.problem !== undefined;
    return { kind: isAway ? 'away' : 'failed', reason: endInWords(ended, timeoutMs) };
  };
}

/** Statuses of a receiver, or of a proxy before it, that is not able to take any event. */
const AWAY: readonly number[] = [429, 502, 503, 504];

/**
 * Returns a delivery that posts the event.
 * @param signer Signs the posts; absent: they are not signed.
 */
export function toUrl(url: string, timeoutMs: number, signer: NoteSigner | undefined): Deliver {
  return async (event) => {
    const body = JSON.stringify(event);
    const at = Math.floor(CLOCKS.wall() / 1_000);
    const headers = {
      'Content-Type': 'application/cloudevents+json; charset=utf-8',
      'User-Agent': 'store-orders',
      ...webhookHeaders(webhookIdOf(event), at, body, signer),
    };
    const signal = AbortSignal.timeout(timeoutMs);
    let answer: Response;
    try {
      answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
      await answer.body?.cancel();
    } catch (error) {
      // A timeout may be due to this very event; a receiver that cannot be reached is not.
      if (signal.aborted) return { kind: 'failed', reason: `no answer in ${timeoutMs / 1_000} s` };
      return { kind: 'away', reason: causeOf(error) };
    }
    const { ok, status } = answer;
    const reason = `status ${status}`;
    if (ok) return { kind: 'delivered' };
    if (status === 410) return { kind: 'gone', reason };
    if (!AWAY.includes(status)) return { kind: 'failed', reason };
    return { kind: 'away', reason, retryAfterMs: retryAfterOf(answer.headers) };
  };
}
