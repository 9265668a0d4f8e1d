import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { partByDay } from '../support/nightly.ts';
import { type Changes, plantIn } from '../support/planted.ts';
import { blocksOf } from './markdown.ts';

/**
 * The verifiers in the pages: each was written from the specification in its page alone, and imports
 * no code of the project.
 */

const PAGES_OF_SCRIPTS = {
  'verify-receipt.mjs': 'docs/receipts.md',
  'verify-export.mjs': 'docs/exports.md',
  'verify-succession.mjs': 'docs/succession.md',
} as const;

type Script = keyof typeof PAGES_OF_SCRIPTS;

const IMPORTS = ['node:crypto', 'node:fs', './verify-receipt.mjs'];

/** The text of each script. */
const SCRIPTS = Object.entries(PAGES_OF_SCRIPTS).map(([name, page]) => {
  const begin = `cat > ${name} <<'END'\n`;
  const block = blocksOf(page).find(({ text }) => text.includes(begin))?.text ?? '';
  const text = block.slice(block.indexOf(begin) + begin.length);
  const imported = [...text.matchAll(/ from '(.*)'/g)].map(([, from = '']) => from);
  const other = imported.find((from) => !IMPORTS.includes(from));
  if (block === '' || other !== undefined) throw new Error(`${page} has no ${name} of its own`);
  return [name, text.slice(0, text.indexOf('\nEND\n') + 1)] as const;
});

/** Imports a verifier of a page, with the given mistake in it. */
export async function verifierInPages<Verifier>(
  script: Script,
  mistake: Changes = [],
): Promise<Verifier> {
  const folder = temporaryFolder();
  for (const [name, text] of SCRIPTS) writeFileSync(join(folder, name), text);
  const file = join(folder, script);
  plantIn(file, mistake);
  return (await import(pathToFileURL(file).href)) as Verifier;
}

/** Mistakes of a verifier: each is a text of that in a page, and what becomes of it. */
export type Mistakes = Readonly<Record<string, Changes[number]>>;

/** Each twelfth mistake is planted by day. */
const PLANTED_BY_DAY = 12;

/** Defines a test for each mistake: `isShown` must find that the verifier with it is wrong. */
export function testMistakes<Verifier>(
  script: Script,
  mistakes: Mistakes,
  isShown: (page: Verifier) => boolean | Promise<boolean>,
): void {
  test.for(partByDay(Object.entries(mistakes), PLANTED_BY_DAY))(
    'It shows that a verifier %s',
    async ([, mistake]) => {
      expect(await isShown(await verifierInPages<Verifier>(script, [mistake]))).toBe(true);
    },
  );
}
