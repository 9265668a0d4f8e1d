/** Bytes and base64, by functions that browsers have too. */

/** Decodes base64. Throws for a text that is none. */
export function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

/** Encodes bytes, at most some thousands. */
export function base64Of(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

export function areSameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
