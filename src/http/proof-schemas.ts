import { z } from 'zod';
import { placeText, positionText, writtenAsOf, writtenPosition, writtenText } from './values.ts';

/** How proofs are asked for, and how they are described. */

const OTHERWISE = 'Anything else, more than one, or more than the log has: 400 `invalid_request`.';

export const PositionPath = z.object({
  position: placeText.describe(
    'Where the event stands. What is no position: 400 `invalid_request`; where there is no event: ' +
      '404 `not_found`.',
  ),
});

export const InclusionQuery = z.strictObject({
  position: positionText.describe(`Where the event stands, from 1. ${OTHERWISE}`),
  size: positionText.describe(`The size of the log that it is proven for. ${OTHERWISE}`),
});

export const ConsistencyQuery = z.strictObject({
  from: positionText.describe(`The size of the older log. ${OTHERWISE}`),
  to: positionText.describe(`The size of the newer log. ${OTHERWISE}`),
});

const Hashes = z
  .array(writtenText(44, '^[A-Za-z0-9+/]{43}=$').describe('SHA-256, in base64.'))
  .max(64)
  .describe('The hashes, in the order of RFC 9162.');

export const InclusionAnswer = z
  .object({
    position: writtenPosition.describe('Where the event stands.'),
    size: writtenAsOf.describe('The size of the log that it is proven for.'),
    proof: Hashes,
  })
  .meta({ id: 'InclusionProof', description: 'That an event is in the log.' });

export const ConsistencyAnswer = z
  .object({
    from: writtenAsOf.describe('The size of the older log.'),
    to: writtenAsOf.describe('The size of the newer log.'),
    proof: Hashes,
  })
  .meta({ id: 'ConsistencyProof', description: 'That nothing in the log was rewritten.' });

export const NoteAnswer = writtenText(
  1_000,
  '^[^\\n]+\\n(?:0|[1-9]\\d*)\\n[A-Za-z0-9+/]{43}=\\n\\n(?:— [^\\n]+\\n)+$',
).describe('A signed note: name, size and root, an empty line, and the signature.');

export const EpochsAnswer = z
  .object({
    epoch: writtenText(42, '^(?:0|[1-9]\\d{0,8}\\.[0-9a-f]{32})$').describe(
      'The epoch. Checkpoints have it behind the name of the log and a plus sign, but for epoch `0`.',
    ),
    breaks: z
      .array(
        writtenText(4_096, '^\\{[^\\n]+\\}\\n\\n(?:— [^\\n]+\\n)+$').describe(
          'A signed note: the statement as canonical JSON, an empty line, and the signature.',
        ),
      )
      .max(1_000)
      .describe('The statements of all breaks, the oldest first.'),
  })
  .meta({ id: 'Epochs', description: 'Where the log was cut and went on under another name.' });

export const ReceiptAnswer = z
  .object({
    format: z.literal('store-orders/receipt/v1').describe('What this is.'),
    record: writtenText(32_768, '^\\{.*\\}$').describe('The event, as a text: what was hashed.'),
    proof: Hashes,
    checkpoint: NoteAnswer,
  })
  .meta({ id: 'Receipt', description: 'What proves an event to whoever has the public key.' });
