import { hash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';

/**
 * Writes `vendor`: what the service needs of packages that are many times as large, or that bring
 * others which it must not have. See vendor/README.md. A test compares it with the packages.
 */

const require = createRequire(import.meta.url);

/** Writes the whole of it into a folder. */
export async function writeVendored(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'event-schema.js'), await eventSchema());
  const licence = join(dirname(require.resolve('effect/package.json')), 'LICENSE');
  copyFileSync(licence, join(folder, 'event-schema.LICENSE.txt'));
  await writeConsole(join(folder, 'console'));
}

/** Puts the cryptography of browsers in the place of Node's: both have the same functions. */
const cryptographyOfBrowsers: Plugin = {
  name: 'cryptography-of-browsers',
  resolveId: (source) => (source === './crypto.ts' ? resolve('src/console/crypto.ts') : null),
};

/** `src/console` with Preact in one module and what it loads later, and the style sheet: names have a hash. */
async function writeConsole(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const bundle = await rolldown({
    input: { console: 'src/console/main.tsx', verifier: 'src/app/audit/verifier.ts' },
    platform: 'browser',
    plugins: [cryptographyOfBrowsers],
    transform: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  });
  const { output } = await bundle.generate({
    format: 'esm',
    minify: true,
    comments: false,
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
  });
  for (const file of output) {
    if (file.type === 'chunk') writeFileSync(join(folder, file.fileName), file.code);
  }
  const style = readFileSync('src/console/style.css');
  const tag = hash('sha256', style, 'base64url').slice(0, 8);
  writeFileSync(join(folder, `console-${tag}.css`), style);
  for (const name of ['preact', '@preact/signals', '@noble/ed25519', '@noble/hashes']) {
    const file = `${name.replace('@', '').replace('/', '-')}.LICENSE.txt`;
    copyFileSync(join('node_modules', name, 'LICENSE'), join(folder, file));
  }
}

/** `src/infra/events/schema.ts` with what it uses of @effect/schema and effect, in one module. */
async function eventSchema(): Promise<string> {
  const bundle = await rolldown({
    input: 'src/infra/events/schema.ts',
    platform: 'node',
    treeshake: { moduleSideEffects: false },
  });
  const { output } = await bundle.generate({
    format: 'esm',
    // Names and lines stay, so that it can be read and that a stack trace says something.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
    comments: { legal: true, annotation: false, jsdoc: false },
  });
  return output[0].code;
}

if (import.meta.main) await writeVendored('vendor');
