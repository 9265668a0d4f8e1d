/** Texts of others within our sentences, such as a name that is written from right to left. */

/** The characters that begin and end a stretch of text with a direction of its own (Unicode UAX #9). */
const [BEGIN, END] = ['\u2068', '\u2069'];
/** Characters that turn the direction of what follows them, or end such a stretch. */
const TURNS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Returns a text that reorders nothing beside it: without this, the digits behind a Hebrew name are shown
 * on its other side. In markup, `bdi` does the same. ASCII is returned as it is.
 */
export function isolated(text: string): string {
  return /^[ -~]*$/.test(text) ? text : `${BEGIN}${text.replaceAll(TURNS, '')}${END}`;
}
