import { readFileSync, writeFileSync } from 'node:fs';

/** Texts of a program that are replaced, and their replacements: a fault as somebody might make it. */
export type Changes = readonly (readonly [from: string, to: string])[];

/** Replaces texts in a file. Throws unless the file has each exactly once. */
export function plantIn(file: string, changes: Changes): void {
  let text = readFileSync(file, 'utf8');
  for (const [from, to] of changes) {
    const parts = text.split(from);
    if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${from}`);
    text = parts.join(to);
  }
  writeFileSync(file, text);
}
