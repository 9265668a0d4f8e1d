import { Violation } from '../target.ts';
import { type Answer, type ApiClient, CannotCheck } from '../targets/api-client.ts';
import { listIn } from '../targets/orders-api.ts';

/** The first request of a run, which shows if there is a server to check at all. */

/**
 * Resolves with the first list. Throws {@link CannotCheck} if the server is unreachable, refuses the
 * key, or has its API at another address.
 */
export async function requireAccess(client: ApiClient): Promise<Answer> {
  const answer = await client.ask('GET', '/store/orders').catch((error: Error) => {
    throw error instanceof Violation ? new CannotCheck(error.message) : error;
  });
  const { status } = answer;
  const url = `${client.baseUrl}/store/orders`;
  if (status === 401 || status === 403) {
    throw new CannotCheck(`the key is refused: GET ${url} is a ${status}`);
  }
  // The contract has this segment at the end of every address.
  if (client.baseUrl.endsWith('/v1') || isList(answer)) return answer;
  throw new CannotCheck(
    `GET ${url} is a ${status} without a list of orders, and the address of an API ends in /v1, ` +
      'as in http://127.0.0.1:3000/v1',
  );
}

function isList(answer: Answer): boolean {
  try {
    listIn(answer);
    return true;
  } catch (error) {
    if (error instanceof Violation) return false;
    throw error;
  }
}
