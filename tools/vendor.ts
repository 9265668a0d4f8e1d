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
  resolveId: (source) =>
    /(?:^\.|\/proofs)\/crypto\.ts$/.test(source) ? resolve('src/console/crypto.ts') : null,
};

/** Builds scripts for browsers from their entries. */
async function browserScripts(
  input: Readonly<Record<string, string>>,
  define: Readonly<Record<string, string>>,
  isOneFile: boolean,
) {
  const bundle = await rolldown({
    input,
    platform: 'browser',
    // The verifier can be imported from its file, which needs no other.
    preserveEntrySignatures: 'allow-extension',
    plugins: [cryptographyOfBrowsers],
    transform: { jsx: { runtime: 'automatic', importSource: 'preact' }, define },
  });
  const { output } = await bundle.generate({
    format: 'esm',
    minify: true,
    comments: false,
    codeSplitting: !isOneFile,
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
  });
  return output.filter((file) => file.type === 'chunk');
}

/**
 * `src/console` with Preact in one module and what it loads later, the verifier, the style sheet, and
 * the verifier as a file for readers without a service: names of what pages load have a hash.
 */
async function writeConsole(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const style = readFileSync('src/console/style.css', 'utf8');
  const offline = await offlineVerifier(style);
  writeFileSync(join(folder, OFFLINE_VERIFIER), offline);
  const entries = { console: 'src/console/main.tsx', verifier: 'src/app/audit/proofs/verifier.ts' };
  const define = { VERIFIER_SHA256: JSON.stringify(hash('sha256', offline)) };
  for (const { fileName, code } of await browserScripts(entries, define, false)) {
    writeFileSync(join(folder, fileName), code);
  }
  const tag = hash('sha256', style, 'base64url').slice(0, 8);
  writeFileSync(join(folder, `console-${tag}.css`), style);
  for (const name of ['preact', '@preact/signals', '@noble/ed25519', '@noble/hashes']) {
    const file = `${name.replace('@', '').replace('/', '-')}.LICENSE.txt`;
    copyFileSync(join('node_modules', name, 'LICENSE'), join(folder, file));
  }
}

export const OFFLINE_VERIFIER = 'store-orders-verifier.html';

/** Returns the page of proofs in one file, whose policy allows its own script and style alone. */
async function offlineVerifier(style: string): Promise<string> {
  const [script] = await browserScripts({ offline: 'src/console/offline.tsx' }, {}, true);
  const code = script?.code ?? '';
  if (/<\/script|<!--/i.test(code)) throw new Error('the script would end its element');
  const [allowsScript, allowsStyle] = [code, style].map((text) => {
    return `'sha256-${hash('sha256', text, 'base64')}'`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ${allowsScript}; style-src ${allowsStyle}; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Verifier · Store Orders</title>
<style>${style}</style>
</head>
<body>
<main id="page">
<h1>Verify proofs of Store Orders</h1>
<div id="verifier"></div>
<noscript><p>The verifier needs JavaScript.</p></noscript>
</main>
<script type="module">${code}</script>
</body>
</html>
`;
}

/** States the digest of the offline verifier in the guide, where readers compare it. */
function stateDigest(guide: string, offline: string): void {
  const digest = hash('sha256', readFileSync(offline));
  const text = readFileSync(guide, 'utf8');
  writeFileSync(guide, text.replace(/^[0-9a-f]{64}(?= {2}store-orders-verifier\.html$)/m, digest));
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

if (import.meta.main) {
  await writeVendored('vendor');
  stateDigest('docs/console.md', `vendor/console/${OFFLINE_VERIFIER}`);
}
