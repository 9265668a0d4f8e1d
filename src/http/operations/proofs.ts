/** The operations on the signed state of the log, and on proofs of its contents. */
import type { Prover } from '../../app/audit/proving/prover.ts';
import { consistencyJson, inclusionJson } from '../../app/audit/proving/receipt.ts';
import type { Epochs } from '../../app/log/epochs.ts';
import type { ReadModel } from '../../app/read/read-model.ts';
import { refusedAs, sendCheckpoint } from '../answers/checkpoint.ts';
import { PRIVATE, sendJson } from '../answers/negotiation.ts';
import { ReceiptAnswer, sendReceipt, TlogProofAnswer } from '../answers/receipt.ts';
import {
  ConsistencyAnswer,
  EpochsAnswer,
  InclusionAnswer,
  NoteAnswer,
} from '../answers/schemas.ts';
import { ApiError } from '../api-error.ts';
import {
  ConsistencyQuery,
  InclusionQuery,
  NoQuery,
  type OrderPath,
  PositionPath,
  positionOf,
  WitnessedQuery,
} from '../requests/parameters.ts';
import { bounded, type ReadServices } from './bounded-read.ts';
import { type ContextOf, type Description, type Operation, operation } from './operation.ts';
import { orderIn } from './perform.ts';

export interface ProofServices extends ReadServices {
  readonly epochs: Epochs;
  readonly prover: Prover;
  readonly readModel: Pick<ReadModel<unknown>, 'current'>;
}

const TEXT = 'text/plain';
const shared = { scope: 'audit:read', tag: 'audit', stability: 'experimental' } as const;

const GET_CHECKPOINT = {
  ...shared,
  operationId: 'getCheckpoint',
  method: 'get',
  path: '/store/checkpoint',
  summary: 'Get a checkpoint',
  description:
    'Returns what the log is now, signed: its name, its size and the root of its Merkle tree, as a ' +
    'C2SP tlog-checkpoint. Every command that was answered before is in it. Store it where the ' +
    "service's administrators cannot modify it. The public key is at `/public-key`. Where the " +
    'service has no key to sign with, there is none: 404 `not_found`. Of a log with witnesses, ' +
    '`witnessed=true` returns the newest one that a quorum of them has cosigned: it may lack the ' +
    'events since.',
  query: WitnessedQuery,
  success: {
    status: 200,
    description: 'The checkpoint.',
    contentType: TEXT,
    schema: NoteAnswer,
    headers: ['ETag', 'Cache-Control'],
    isConditional: true,
  },
  refusals: ['not_found'],
} as const satisfies Description;

async function getCheckpoint(
  { epochs, prover }: ProofServices,
  { res, query }: ContextOf<typeof GET_CHECKPOINT>,
): Promise<void> {
  await sendCheckpoint(res, { epochs, prover }, PRIVATE, query.witnessed);
}

const GET_EPOCHS = {
  ...shared,
  operationId: 'getEpochs',
  method: 'get',
  path: '/store/epochs',
  summary: 'Get where the log was cut',
  description:
    'Returns the epoch that the log is in, and the signed statement of each time that it was cut and ' +
    'went on under another name, the oldest first: when, why, at which position, and what is known ' +
    'to have been before. A log that was never cut is in epoch `0`. Where the service has no key to ' +
    'sign with and there is something to sign, it is a 404 `not_found`.',
  query: NoQuery,
  success: {
    status: 200,
    description: 'The epoch, and all breaks.',
    schema: EpochsAnswer,
    headers: ['Cache-Control'],
  },
  refusals: ['not_found'],
} as const satisfies Description;

async function getEpochs(
  { epochs, prover }: ProofServices,
  { res }: ContextOf<typeof GET_EPOCHS>,
): Promise<void> {
  const breaks = await (async () => prover.breaks())().catch(refusedAs('not_found'));
  sendJson(res, 200, JSON.stringify({ epoch: epochs.id, breaks }));
}

const GET_INCLUSION_PROOF = {
  ...shared,
  operationId: 'getInclusionProof',
  method: 'get',
  path: '/store/proofs/inclusion',
  summary: 'Prove that an event is in the log',
  description:
    'Returns the inclusion proof (RFC 9162, section 2.1.3) for the event at a position, in the log ' +
    'as it was at a size: that of the checkpoint that the proof is held against.',
  query: InclusionQuery,
  success: {
    status: 200,
    description: 'The proof.',
    schema: InclusionAnswer,
    headers: ['Cache-Control'],
  },
  refusals: [],
} as const satisfies Description;

async function getInclusionProof(
  { prover }: ProofServices,
  { res, query }: ContextOf<typeof GET_INCLUSION_PROOF>,
): Promise<void> {
  const { position, size } = query;
  const proof = await prover.inclusion(position, size).catch(refusedAs('invalid_request'));
  sendJson(res, 200, inclusionJson(position, size, proof));
}

const GET_CONSISTENCY_PROOF = {
  ...shared,
  operationId: 'getConsistencyProof',
  method: 'get',
  path: '/store/proofs/consistency',
  summary: 'Prove that nothing was rewritten',
  description:
    'Returns the consistency proof (RFC 9162, section 2.1.4) that the log of one size begins with ' +
    'that of another: those of an older and a newer checkpoint.',
  query: ConsistencyQuery,
  success: {
    status: 200,
    description: 'The proof.',
    schema: ConsistencyAnswer,
    headers: ['Cache-Control'],
  },
  refusals: [],
} as const satisfies Description;

async function getConsistencyProof(
  { prover }: ProofServices,
  { res, query }: ContextOf<typeof GET_CONSISTENCY_PROOF>,
): Promise<void> {
  const { from, to } = query;
  const proof = await prover.consistency(from, to).catch(refusedAs('invalid_request'));
  sendJson(res, 200, consistencyJson(from, to, proof));
}

const receipt = {
  ...shared,
  method: 'get',
  query: WitnessedQuery,
  success: {
    status: 200,
    description: 'The receipt.',
    schema: ReceiptAnswer,
    alternative: { contentType: TEXT, schema: TlogProofAnswer },
    headers: ['Cache-Control', 'Vary'],
  },
} as const;

const GET_RECEIPT = {
  ...receipt,
  operationId: 'getReceipt',
  path: '/store/orders/:orderId/receipt',
  summary: 'Get the receipt of a cancellation',
  description:
    'Returns what proves to anybody who has the public key, years later and without this service, ' +
    'that the order was cancelled: the event as it is stored, its inclusion proof and a signed ' +
    'checkpoint. Keep it to the byte. Of an order that is not cancelled there is none: 404 ' +
    '`not_found`. To `Accept: text/plain` it answers with the same as C2SP tlog-proof, with the ' +
    'event in its extra data. Of a log with witnesses, the checkpoint has their cosignatures once a ' +
    'quorum of them has cosigned one with the event in it; `witnessed=true` returns no other.',
  refusals: ['order_not_found', 'not_found'],
} as const satisfies Description;

async function getReceipt(
  { readModel, prover }: ProofServices,
  context: ContextOf<typeof GET_RECEIPT & { readonly pathParameters: typeof OrderPath }>,
): Promise<void> {
  const { path, query } = context;
  const list = await readModel.current(context);
  const { status } = orderIn(list, path.orderId);
  if (status !== 'cancelled') {
    throw new ApiError('not_found', `The order is ${status}, not cancelled: no receipt.`);
  }
  const position = list.positionsOf(path.orderId).at(-1) as number;
  await sendReceipt(context, (format) =>
    prover.receipt(position, format, query.witnessed).catch(refusedAs('not_found')),
  );
}

const GET_EVENT_RECEIPT = {
  ...receipt,
  operationId: 'getEventReceipt',
  path: '/store/events/:position/receipt',
  summary: 'Get a receipt of any event',
  description: 'Returns the same for the event at a position, whatever has happened there.',
  pathParameters: PositionPath,
  refusals: ['not_found'],
} as const satisfies Description;

async function getEventReceipt(
  { epochs, prover }: ProofServices,
  context: ContextOf<typeof GET_EVENT_RECEIPT>,
): Promise<void> {
  const { path, query } = context;
  const position = positionOf(epochs, 'position', path.position);
  await sendReceipt(context, (format) =>
    prover.receipt(position, format, query.witnessed).catch(refusedAs('not_found')),
  );
}

/** @param pathParameters The path of an order, as a version of the API describes it. */
export function proofOperations(
  pathParameters: typeof OrderPath,
): readonly Operation<ProofServices>[] {
  return [
    operation(GET_CHECKPOINT, bounded(getCheckpoint)),
    operation(GET_EPOCHS, bounded(getEpochs)),
    operation(GET_INCLUSION_PROOF, bounded(getInclusionProof)),
    operation(GET_CONSISTENCY_PROOF, bounded(getConsistencyProof)),
    operation({ ...GET_RECEIPT, pathParameters }, bounded(getReceipt)),
    operation(GET_EVENT_RECEIPT, bounded(getEventReceipt)),
  ];
}
