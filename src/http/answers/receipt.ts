/** The receipt of an event: as JSON, or as C2SP tlog-proof for clients that prefer a text. */
import { z } from 'zod';
import type { ReceiptFormat } from '../../app/audit/proving/receipt.ts';
import type { RequestContext } from '../request-context.ts';
import { JSON_UTF_8, PRIVATE, prefers, sendJson } from './negotiation.ts';
import { Hashes, NoteAnswer, text } from './schemas.ts';

export const ReceiptAnswer = z
  .object({
    format: z.literal('store-orders/receipt/v1').describe('What this is.'),
    record: text(32_768, '^\\{.*\\}$').describe('The event, as a text: what was hashed.'),
    proof: Hashes,
    checkpoint: NoteAnswer,
  })
  .meta({ id: 'Receipt', description: 'What proves an event to whoever has the public key.' });

export const TlogProofAnswer = text(
  65_536,
  '^c2sp\\.org/tlog-proof@v1\\nextra [A-Za-z0-9+/]+=*\\nindex (?:0|[1-9]\\d*)\\n(?:[A-Za-z0-9+/]{43}=\\n)*\\n',
).describe('The same as C2SP tlog-proof: the event is in `extra`.');

const TEXT_UTF_8 = 'text/plain; charset=utf-8';

/**
 * Sends a receipt in the form that the client prefers.
 * @param receiptAs Makes the receipt.
 */
export async function sendReceipt(
  { req, res }: Pick<RequestContext, 'req' | 'res'>,
  receiptAs: (format: ReceiptFormat) => Promise<string>,
): Promise<void> {
  const isText = prefers(req, TEXT_UTF_8, [JSON_UTF_8]);
  const receipt = await receiptAs(isText ? 'tlog-proof' : 'json');
  res.vary('Accept');
  if (!isText) return sendJson(res, 200, receipt);
  res.setHeader('Cache-Control', PRIVATE);
  res.type(TEXT_UTF_8).send(receipt);
}
