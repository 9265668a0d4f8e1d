/** The reading of what comes back from requests that this process sends. */

/**
 * Returns the reason why a request was not answered, which `fetch` puts into its error's cause. That of TLS is in
 * parts: the message of OpenSSL has the lines of its source in it.
 */
export function causeOf(error: unknown): string {
  const { cause, message } = error as Error;
  const { library, reason, message: deeper } = Object(cause);
  return library === undefined ? deeper || message : `${library}: ${reason}`;
}

/** Returns the body of an answer; `undefined` for one that is too long, which is not read on. */
export async function bodyOf({ body }: Response, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
