/** Answers that the client has no method for: the readiness of the service, its public key, and a list as a file. */
import { refusalIn } from '../../client/attempt.ts';
import { type StoreOrders, StoreOrdersError } from '../../client/client.ts';
import { limited } from '../../client/limit.ts';
import { jsonOf } from '../../client/values.ts';
import { problemOf } from './problem.ts';
import { isKey } from './verifier-key.ts';

/** The longest wait for the readiness, in milliseconds. A service that is ready answers at once. */
const READY_MS = 5_000;
/** The longest silence before a file and within it, in milliseconds. The whole of one may take longer. */
const SILENCE_MS = 60_000;

export interface Health {
  /** Not known if the answer is none of the service, or there is none. */
  readonly state: 'Ready' | 'Not ready' | 'Not known';
  /** The reason; empty if it is ready. */
  readonly message: string;
}

/** Asks for the readiness. It never rejects. */
export async function healthOf(
  open: Pick<StoreOrders, 'request'>,
  signal: AbortSignal,
  timeoutMs = READY_MS,
): Promise<Health> {
  try {
    const answer = await open.request({ method: 'GET', path: '/readyz' }, { signal, timeoutMs });
    jsonOf(answer, (value) => Object(value).status === 'ready');
    return { state: 'Ready', message: '' };
  } catch (error) {
    const isSaid = error instanceof StoreOrdersError && error.code === 'service_unavailable';
    return { state: isSaid ? 'Not ready' : 'Not known', message: problemOf(error, true).message };
  }
}

/** Returns the public key of the log. Throws `unexpected_response` for an answer that is none. */
export async function publicKeyOf(
  open: Pick<StoreOrders, 'request'>,
  signal?: AbortSignal,
): Promise<string> {
  const { text } = await open.request({ method: 'GET', path: '/public-key' }, { signal });
  const key = text.trim();
  if (isKey(key)) return key;
  throw new StoreOrdersError('unexpected_response', 'The answer is not a public key.');
}

interface FileRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The type that the file must have. */
  readonly type: string;
}

/** Returns the whole answer to a GET as a file, without a copy of it as text. Rejects with a reason in words. */
export async function fileOf(
  send: typeof fetch,
  { url, headers, type }: FileRequest,
  silenceMs = SILENCE_MS,
): Promise<Blob> {
  return limited(undefined, silenceMs, async (limit) => {
    try {
      const { signal } = limit;
      const init = { headers: { ...headers, Accept: type }, redirect: 'manual', signal } as const;
      const response = await limit.within(() => send(url, init));
      const onPiece = () => limit.start(silenceMs);
      return await limit.within(() => bodyOf(response, { url, headers, type }, onPiece));
    } catch (error) {
      throw limit.isTimedOut ? new Error('There was no answer in time.') : error;
    }
  });
}

async function bodyOf(
  response: Response,
  { url, type }: FileRequest,
  onPiece: () => void,
): Promise<Blob> {
  const { status, headers, body } = response;
  if (!response.ok) {
    const given = { method: 'GET', url, headers: {}, idempotencyKey: undefined };
    const asked = { ...given, attempt: 1, requests: { count: 1 } };
    throw refusalIn({ status, headers, text: await response.text() }, asked);
  }
  const given = headers.get('Content-Type') ?? 'nothing known';
  // Pages to log in are answers of proxies, some with status 200.
  if (!given.startsWith(type)) throw new Error(`The answer is not ${type}, but ${given}.`);
  const heard = new TransformStream<Uint8Array, Uint8Array>({
    transform: (piece, to) => {
      onPiece();
      to.enqueue(piece);
    },
  });
  return new Response(body?.pipeThrough(heard), { headers: { 'Content-Type': given } }).blob();
}
