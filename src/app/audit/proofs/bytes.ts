/** Bytes, and the texts that are in them, by functions that browsers have too. */

/** Decodes base64. Throws for a text that is none. */
export function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

/** Encodes bytes, however many: a proof of somebody else may carry a long text. */
export function base64Of(bytes: Uint8Array): string {
  let characters = '';
  for (const byte of bytes) characters += String.fromCharCode(byte);
  return btoa(characters);
}

/**
 * Returns true if a text is what {@link base64Of} returns for its bytes. Decoders ignore loose bits at its
 * end. Throws for a text that is no base64 at all.
 */
export function isExactBase64(text: string): boolean {
  return base64Of(bytesOf(text)) === text;
}

export function areSameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns the text in bytes; `undefined` for bytes that are not UTF-8. */
export function textIn(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
