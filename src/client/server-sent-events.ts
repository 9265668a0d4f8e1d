/** Reads Server-Sent Events as the HTML standard defines them, but for the fields that are not used. */
import { StoreOrdersError } from './error.ts';

/** Many times the longest event. */
const MAX_MESSAGE_CHARACTERS = 2 ** 20;

export interface Message {
  /** The id of the last message that had one. */
  readonly id: string | undefined;
  /** Absent for a message that only has an id. */
  readonly data: string | undefined;
}

/**
 * Returns the messages in a text that arrives in pieces. One that was cut off is left out. Throws
 * `unexpected_response` for one that is longer than any of this API, perhaps without an end.
 */
export async function* messagesIn(pieces: AsyncIterable<string>): AsyncGenerator<Message> {
  let rest = '';
  // True while the rest ends with a carriage return, which may be the first half of a line end.
  let isHalf = false;
  let id: string | undefined;
  let isNew = false;
  let data: string[] = [];
  let length = 0;
  for await (const piece of pieces) {
    rest += piece;
    // Searched in the new piece alone: a line that comes in many pieces would take quadratic time.
    const lines = isHalf || /[\r\n]/.test(piece) ? rest.split(/\r\n|\n|\r(?!$)/) : [rest];
    isHalf = piece === '' ? isHalf : piece.endsWith('\r');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [, name, value = ''] = /^(\w+)(?:: ?(.*))?$/s.exec(line) ?? [];
      if (name === 'id') {
        id = value;
        isNew = true;
      } else if (name === 'data') {
        data.push(value);
        length += value.length + 1;
      } else if (line === '') {
        const text = data.length === 0 ? undefined : data.join('\n');
        if (isNew || text !== undefined) yield { id, data: text };
        isNew = false;
        data = [];
        length = 0;
      }
    }
    if (length + rest.length > MAX_MESSAGE_CHARACTERS) {
      const max = MAX_MESSAGE_CHARACTERS;
      const message = `a message of the stream has more than ${max} characters, which is too long`;
      throw new StoreOrdersError('unexpected_response', message, { status: 200 });
    }
  }
}
