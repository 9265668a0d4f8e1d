/** The operation by which a client reads the properties of its own API key. */
import { sendJson } from '../answers/negotiation.ts';
import { KeyAnswer } from '../answers/schemas.ts';
import { type ContextOf, type Description, type Operation, operation } from './operation.ts';

const GET_KEY = {
  operationId: 'getKey',
  method: 'get',
  path: '/key',
  tag: 'keys',
  summary: 'Get the key of the request',
  description:
    'Returns what is known of the API key that the request was sent with: its name, its scopes, until ' +
    'when it is valid, and its limits. A change by the operator is shown within half a second.',
  success: {
    status: 200,
    description: 'The key, without its text.',
    schema: KeyAnswer,
    headers: ['Cache-Control'],
  },
  refusals: [],
} as const satisfies Description;

function getKey(_services: unknown, { res, key }: ContextOf<typeof GET_KEY>): void {
  const { id, name, scopes, createdAt, expiresAt, limits } = key;
  sendJson(res, 200, JSON.stringify({ id, name, scopes, createdAt, expiresAt, limits }));
}

export const KEY_OPERATIONS: readonly Operation<unknown>[] = [operation(GET_KEY, getKey)];
