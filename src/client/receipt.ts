/** The receipt of an event. It is fetched when it is needed first, and then kept; a failure is not. */
import type { ProofOptions } from './options.ts';
import type { Verdict } from './receipt-verifier.ts';
import type { Id, Position } from './shapes.ts';
import type { Request, Transport } from './transport.ts';
import { idText, isReceipt, jsonOf } from './values.ts';

export class Receipt {
  readonly #orderId: string | undefined;
  readonly #fetch: () => Promise<string>;
  #text: Promise<string> | undefined;

  /** @param of The order of which it is the cancellation, or the position of any event. */
  constructor(
    transport: Transport,
    of: Id | { readonly position: Position },
    options: ProofOptions | undefined,
  ) {
    this.#orderId = typeof of === 'object' ? undefined : idText(of);
    const place =
      typeof of === 'object'
        ? `events/${encodeURIComponent(of.position)}`
        : `orders/${this.#orderId}`;
    const request = proofRequest(`/v2/store/${place}/receipt`, options);
    this.#fetch = async () => {
      const answer = await transport.send(request, options);
      jsonOf(answer, isReceipt);
      return answer.text;
    };
  }

  /** Returns the receipt. Keep it to the byte: it can be verified without the service, for good. */
  text(): Promise<string> {
    this.#text ??= this.#fetch().catch((error) => {
      this.#text = undefined;
      throw error;
    });
    return this.#text;
  }

  /**
   * Verifies the receipt with the log's public key, which must come from elsewhere than the receipt.
   * Uses the Web Cryptography API, which a page has over https and from localhost only.
   */
  async verify(publicKey: string): Promise<Verdict> {
    const { verifyReceipt } = await import('./receipt-verifier.ts');
    return verifyReceipt(await this.text(), publicKey.trim(), this.#orderId);
  }
}

/** Returns the request for a checkpoint, or for what has one in it. */
export function proofRequest(path: string, options: ProofOptions | undefined): Request {
  return { method: 'GET', path, query: { witnessed: options?.witnessed ? 'true' : undefined } };
}
