import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { ProofLog } from '../support/proof-log.ts';

const PROGRAM = `
import { readFileSync } from 'node:fs';
import { type Verdict, type VerifiedReceipt, verifyReceipt } from 'store-orders/verifier';

const [receipt = '', vkey = ''] = process.argv.slice(2);
const verdict: Verdict<VerifiedReceipt> = verifyReceipt(readFileSync(receipt, 'utf8'), vkey);
console.log(verdict.ok ? \`event \${verdict.value.position} is in the log\` : verdict.reason);
`;

/** A user's folder with the package, without its dependencies: the verifier needs none. */
function installed(): string {
  const folder = temporaryFolder();
  const home = join(folder, 'node_modules/store-orders');
  cpSync('package.json', join(home, 'package.json'));
  cpSync('dist', join(home, 'dist'), { recursive: true });
  writeFileSync(join(folder, 'program.ts'), PROGRAM);
  return folder;
}

function run(folder: string, ...parameters: string[]): string {
  return execFileSync(process.execPath, parameters, { cwd: folder, encoding: 'utf8' });
}

describe('The published verifier', () => {
  it('verifies a receipt when it is imported', async () => {
    const folder = installed();
    const log = new ProofLog(5);
    const receipt = await log.receipt(3);
    writeFileSync(join(folder, 'receipt.json'), receipt);
    writeFileSync(join(folder, 'forged.json'), receipt.replace('position\\":3', 'position\\":4'));
    expect(run(folder, 'program.ts', 'receipt.json', log.vkey)).toBe('event 3 is in the log\n');
    expect(run(folder, 'program.ts', 'forged.json', log.vkey)).toBe(
      'the proof does not lead from the record to the root\n',
    );
  });

  it('has types that compile under strict options', () => {
    const folder = installed();
    const compilerOptions = {
      ...{ strict: true, noEmit: true, module: 'nodenext', target: 'es2024', skipLibCheck: false },
      ...{ types: ['node'], typeRoots: [resolve('node_modules/@types')] },
    };
    const project = { compilerOptions, files: ['program.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
    expect(run(folder, resolve('node_modules/typescript/bin/tsc'), '-p', '.')).toBe('');
  });

  it.each([
    ['verifier', './crypto'],
    ['crypto', 'node:crypto'],
  ])('is one file with its cryptography: %s imports %s alone', (name, only) => {
    for (const [file, extension] of [
      [`src/app/audit/${name}.ts`, '.ts'],
      [`dist/app/audit/${name}.js`, '.js'],
    ] as const) {
      const imports = readFileSync(file, 'utf8').matchAll(
        /\b(?:from|import|require)\b\W*'([^']+)'/g,
      );
      const expected = only.startsWith('node:') ? only : `${only}${extension}`;
      expect([...imports].map(([, imported]) => imported)).toStrictEqual([expected]);
    }
  });
});
