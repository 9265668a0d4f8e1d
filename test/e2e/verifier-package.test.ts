import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tlogProofOf } from '../../src/app/audit/proving/receipt.ts';
import { Cosigner } from '../../src/app/audit/witness/cosigner.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ProofLog, recordAt } from '../support/proof-log.ts';

const PROGRAM = `
import { readFileSync } from 'node:fs';
import { type Verdict, type VerifiedReceipt, verifyReceipt } from 'store-orders/verifier';

const [receipt = '', vkey = ''] = process.argv.slice(2);
const verdict: Verdict<VerifiedReceipt> = verifyReceipt(readFileSync(receipt, 'utf8'), vkey);
console.log(verdict.ok ? \`event \${verdict.value.position} is in the log\` : verdict.reason);
`;

/** The same with the other form of a receipt, and with witnesses. */
const WITNESSED = `
import { readFileSync } from 'node:fs';
import { verifyTlogProof } from 'store-orders/verifier/tlog-proof';
import {
  parseWitnessPolicy,
  requireQuorum,
  verifyWitnesses,
} from 'store-orders/verifier/witnesses';

const [receipt = '', file = ''] = process.argv.slice(2);
const policy = parseWitnessPolicy(readFileSync(file, 'utf8'));
if (!policy.ok) throw new Error(policy.reason);
const [log = { vkey: '' }] = policy.value.logs;
const verdict = verifyTlogProof(readFileSync(receipt, 'utf8'), log.vkey);
if (!verdict.ok) throw new Error(verdict.reason);
const witnessed = verifyWitnesses(verdict.value.note, policy.value);
if (!witnessed.ok) throw new Error(witnessed.reason);
const quorum = requireQuorum(witnessed.value);
for (const { name, atS } of witnessed.value.witnesses) console.log(name, atS ?? 'did not');
console.log(verdict.value.position, quorum.ok ? 'is witnessed' : quorum.reason);
`;

/** A user's folder with the package, without its dependencies: the verifier needs none. */
function installed(): string {
  const folder = temporaryFolder();
  const home = join(folder, 'node_modules/store-orders');
  cpSync('package.json', join(home, 'package.json'));
  cpSync('dist', join(home, 'dist'), { recursive: true });
  writeFileSync(join(folder, 'program.ts'), PROGRAM);
  writeFileSync(join(folder, 'witnessed.ts'), WITNESSED);
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

  it('verifies a tlog-proof with the witnesses of a policy', async () => {
    const folder = installed();
    const log = new ProofLog(5);
    const witness = new Cosigner('w1.example', Buffer.alloc(32, 1));
    const proof = await log.tree.inclusion(2);
    const note = log.checkpoint();
    const line = witness.cosign(note.slice(0, note.lastIndexOf('\n\n') + 1), 1_800_000_000);
    const policy = `log ${log.vkey}\nwitness W ${witness.verifierKey}\nquorum W\n`;
    writeFileSync(join(folder, 'policy'), policy);
    for (const [checkpoint, printed] of [
      [note, 'W did not\n3 no quorum of witnesses has cosigned: W did not\n'],
      [note + line, 'W 1800000000\n3 is witnessed\n'],
    ] as const) {
      writeFileSync(join(folder, 'receipt'), tlogProofOf(recordAt(3), 2, proof, checkpoint));
      expect(run(folder, 'witnessed.ts', 'receipt', 'policy')).toBe(printed);
    }
  });

  it('has types that compile under strict options', () => {
    const folder = installed();
    const compilerOptions = {
      ...{ strict: true, noEmit: true, module: 'nodenext', target: 'es2024', skipLibCheck: false },
      ...{ types: ['node'], typeRoots: [resolve('node_modules/@types')] },
    };
    const project = { compilerOptions, files: ['program.ts', 'witnessed.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
    expect(run(folder, resolve('node_modules/typescript/bin/tsc'), '-p', '.')).toBe('');
  });

  it.each([
    ['verifier', ['./crypto']],
    ['crypto', ['node:crypto']],
    ['tlog-proof', ['./bytes', './verifier']],
    ['witness-policy', ['./bytes', './cosignature', './verifier']],
    ['cosignature', ['./verifier']],
    ['bytes', []],
  ])('is few files, without dependencies: %s imports %s alone', (name, only) => {
    for (const [file, extension] of [
      [`src/app/audit/proofs/${name}.ts`, '.ts'],
      [`dist/app/audit/proofs/${name}.js`, '.js'],
    ] as const) {
      const imports = readFileSync(file, 'utf8').matchAll(
        /\b(?:from|import|require)\b\W*'([^']+)'/g,
      );
      const expected = only.map((each) => (each.startsWith('node:') ? each : each + extension));
      expect([...imports].map(([, imported]) => imported)).toStrictEqual(expected);
    }
  });
});
