/** The timeout of a request, in milliseconds. */
const TIMEOUT_MS = 30_000;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface Asked {
  readonly body?: string;
  /** A key instead of the client's own; `null` for none. */
  readonly authorization?: string | null;
}

/** Sends requests to a server, and records them as curl commands. */
export class ApiClient {
  readonly baseUrl: string;
  readonly #key: string;
  readonly #readOnly: boolean;
  #trace: string[] = [];

  /** @param readOnly True to refuse to send anything but GET requests. */
  constructor(baseUrl: string, key: string, readOnly = false) {
    this.baseUrl = baseUrl.replace(/\/+$/, '');
    this.#key = key;
    this.#readOnly = readOnly;
  }

  async ask(method: string, path: string, asked: Asked = {}): Promise<Answer> {
    if (this.#readOnly && method !== 'GET')
      throw new Error(`read-only, and yet: ${method} ${path}`);
    const { body, authorization = `Bearer ${this.#key}` } = asked;
    const headers: Record<string, string> = {
      ...(authorization === null ? {} : { authorization }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    this.#note(method, path, asked);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const init = { method, headers, signal, redirect: 'manual' as const };
    try {
      const answer = await fetch(
        this.baseUrl + path,
        body === undefined ? init : { ...init, body },
      );
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    } catch (error) {
      throw new CannotCheck(
        `there is no answer to ${method} ${this.baseUrl}${path}: ${reasonOf(error)}`,
      );
    }
  }

  /** Returns the requests since the last call, the newest last: at most 12. */
  takeTrace(): readonly string[] {
    const trace = this.#trace;
    this.#trace = [];
    return trace;
  }

  #note(method: string, path: string, { body, authorization }: Asked): void {
    // A wrong key may be similar to the real one: a report discloses neither.
    const shown = authorization === undefined ? 'Bearer $KEY' : '$OTHER';
    const parts = [
      'curl -si',
      ...(method === 'GET' ? [] : [`-X ${method}`]),
      `"$BASE${path}"`,
      ...(authorization === null ? [] : [`-H "Authorization: ${shown}"`]),
      ...(body === undefined ? [] : [`-H 'Content-Type: application/json' -d '${body}'`]),
    ];
    this.#trace.push(parts.join(' '));
    if (this.#trace.length > 12) this.#trace.shift();
  }
}

/** Thrown if there is nothing to check: the server is unreachable, or refuses the key. */
export class CannotCheck extends Error {
  override readonly name = 'CannotCheck';
}

/** Parses JSON without rounding: every integer becomes a bigint. `undefined` if it is invalid. */
export function exactJson(text: string): unknown {
  try {
    return JSON.parse(text, (_key, value, context?: { readonly source?: string }) =>
      typeof value === 'number' && /^-?\d+$/.test(context?.source ?? '')
        ? BigInt(context?.source as string)
        : value,
    );
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  if (!(cause instanceof Error)) return message;
  // If several addresses were tried, Node's message has only their codes.
  return cause.message || (cause as NodeJS.ErrnoException).code || message;
}
