/** The receipt of an event. It is fetched when it is needed first, and then kept; a failure is not. */
import { isCosigned, isReceiptOf, numberOf, type ReceiptParts } from './asked.ts';
import { type ErrorCode, StoreOrdersError } from './error.ts';
import type { ProofOptions } from './options.ts';
import type { Verdict, verifyReceipt } from './receipt-verifier.ts';
import type { Id, Position } from './shapes.ts';
import type { Request, Transport } from './transport.ts';
import { idText, isReceipt, jsonOf } from './values.ts';

export class Receipt {
  readonly #of: string | number | undefined;
  readonly #fetch: () => Promise<string>;
  #text: Promise<string> | undefined;

  /** @param of The order of which it is the cancellation, or the position of any event. */
  constructor(
    transport: Transport,
    of: Id | { readonly position: Position },
    options: ProofOptions | undefined,
  ) {
    const isOfPosition = typeof of === 'object';
    this.#of = isOfPosition ? numberOf(of.position) : idText(of);
    const place = isOfPosition ? `events/${encodeURIComponent(of.position)}` : `orders/${of}`;
    const request = proofRequest(`/v2/store/${place}/receipt`, options);
    const isAsked = (receipt: ReceiptParts) =>
      isReceiptOf(receipt, this.#of) && (!options?.witnessed || isCosigned(receipt.checkpoint));
    this.#fetch = async () => {
      const answer = await transport.send(request, options);
      jsonOf(answer, isReceipt, isAsked);
      return answer.text;
    };
  }

  /**
   * Returns the receipt. Keep it to the byte: it can be verified without the service, for good. One of another event
   * than was asked for is an `unexpected_response`.
   */
  text(): Promise<string> {
    this.#text ??= this.#fetch().catch((error) => {
      this.#text = undefined;
      throw error;
    });
    return this.#text;
  }

  /**
   * Verifies the receipt with the log's public key, which must come from elsewhere than the receipt.
   * Says nothing about witnesses, also with `witnessed`: their keys are not at hand.
   * Uses the Web Cryptography API, which a page has over https and from localhost only: the code is
   * `invalid_request` without it.
   * @param verifier The function of `store-orders/client/receipt-verifier`. It is loaded if absent, which
   * service workers do not allow: the code is `network` if it cannot be loaded.
   */
  async verify(publicKey: string, verifier?: typeof verifyReceipt): Promise<Verdict> {
    const key = publicKey.trim();
    const verify = verifier ?? (await loadVerifier());
    const text = await this.text();
    try {
      return await verify(text, key, this.#of);
    } catch (cause) {
      throw errorFor('invalid_request', 'receipts cannot be verified here', cause);
    }
  }
}

async function loadVerifier(): Promise<typeof verifyReceipt> {
  try {
    return (await import('./receipt-verifier.ts')).verifyReceipt;
  } catch (cause) {
    throw errorFor('network', 'the verifier of receipts cannot be loaded', cause);
  }
}

function errorFor(code: ErrorCode, message: string, cause: unknown): StoreOrdersError {
  return new StoreOrdersError(code, `${message}: ${Object(cause).message}`, { cause });
}

/** Returns the request for a checkpoint, or for what has one in it. */
export function proofRequest(path: string, options: ProofOptions | undefined): Request {
  return { method: 'GET', path, query: { witnessed: options?.witnessed ? 'true' : undefined } };
}
