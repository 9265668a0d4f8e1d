/** The bodies of responses: a stream of the web, or as node-fetch has it one of Node.js. */

/** A body in pieces of bytes. */
export type Body = Pick<ReadableStream<Uint8Array>, 'getReader'> | AsyncIterable<Uint8Array>;

/** Returns the body of a response; `undefined` if it does not come in pieces. */
export function bodyIn({ body }: Response): Body | undefined {
  const streamed = Object(body);
  const isRead = 'getReader' in streamed || Symbol.asyncIterator in streamed;
  return isRead ? streamed : undefined;
}

/** Returns the text of a body. Throws if it is locked, breaks, or does not consist of bytes. */
export async function* textOf(body: Body): AsyncGenerator<string, undefined> {
  const source = 'getReader' in body ? body.getReader() : body[Symbol.asyncIterator]();
  const decoder = new TextDecoder();
  for (;;) {
    const { done, value } = await ('read' in source ? source.read() : source.next());
    yield decoder.decode(done ? undefined : value, { stream: !done });
    if (done) return;
  }
}
