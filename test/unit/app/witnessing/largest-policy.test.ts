import { expect, it } from 'vitest';
import { Monitor } from '../../../../src/app/audit/monitor/monitor.ts';
import { verifyTlogProof } from '../../../../src/app/audit/proofs/tlog-proof.ts';
import { verifyCheckpoint, verifyReceipt } from '../../../../src/app/audit/proofs/verifier.ts';
import {
  parseWitnessPolicy,
  requireQuorum,
  verifyWitnesses,
} from '../../../../src/app/audit/proofs/witness-policy.ts';
import { NoteSigner } from '../../../../src/app/audit/proving/checkpoint.ts';
import { Prover } from '../../../../src/app/audit/proving/prover.ts';
import { Cosigner } from '../../../../src/app/audit/witness/cosigner.ts';
import { Epochs } from '../../../../src/app/log/epochs.ts';
import {
  CosignedCheckpoints,
  signedTextOf,
} from '../../../../src/app/witnessing/cosigned-checkpoints.ts';
import { verifyReceipt as verifyInClient } from '../../../../src/client/receipt-verifier.ts';
import { decodeStrictly, encode } from '../../../../src/infra/events/codec.ts';
import { MemoryTrail } from '../../../../src/infra/memory/trail.ts';
import { placed, recorded, secondsApart } from '../../../support/events.ts';
import { MemoryFiles, MemoryLog, publishedFiles, recordsOf } from '../../../support/published.ts';

const ORDERS = [placed(1n), placed(2n), placed(3n)];
const AT_S = 1_800_000_000;
const MAX_WITNESSES = 99;
const MAX_NAME_BYTES = 255;

const signer = NoteSigner.generate('log.example');
const vkey = signer.verifierKey;

/** Witnesses whose keys have names of so many bytes. */
function cosignersOf(count: number, nameBytes: number): Cosigner[] {
  return Array.from({ length: count }, (_, index) =>
    Cosigner.generate(`é${index}`.padEnd(nameBytes - 1, 'x')),
  );
}

function policyOf(cosigners: readonly Cosigner[]): string {
  const lines = cosigners.map(({ verifierKey }, index) => `witness W${index} ${verifierKey}`);
  const members = cosigners.map((_, index) => `W${index}`).join(' ');
  return [`log ${vkey}`, ...lines, `group all all ${members}`, 'quorum all', ''].join('\n');
}

it('A checkpoint that all witnesses of the largest policy have cosigned is valid for all its readers', async () => {
  const cosigners = cosignersOf(MAX_WITNESSES, MAX_NAME_BYTES);
  const parsed = parseWitnessPolicy(policyOf(cosigners));
  const policy = parsed.ok ? parsed.value : expect.fail(parsed.reason);
  const cosigned = new CosignedCheckpoints(policy);
  const trail = new MemoryTrail();
  for (const event of secondsApart(recorded(...ORDERS))) trail.append(encode(event));
  const prover = new Prover(trail, signer, new Epochs(''), cosigned);
  const checkpoint = await prover.checkpoint();
  cosigned.begin(checkpoint);
  for (const [index, cosigner] of cosigners.entries()) {
    cosigned.add(checkpoint, `W${index}`, cosigner.cosign(signedTextOf(checkpoint), AT_S));
  }
  const { note } = prover.witnessed();
  expect(verifyCheckpoint(note, vkey)).toMatchObject({ ok: true, value: { size: 3 } });
  const witnessed = verifyWitnesses(note, policy);
  expect(witnessed.ok && requireQuorum(witnessed.value)).toEqual({ ok: true });

  const receipt = await prover.receipt(2);
  expect(verifyReceipt(receipt, vkey)).toMatchObject({ ok: true, value: { note } });
  expect(await verifyInClient(receipt, vkey)).toMatchObject({ ok: true, value: { position: 2 } });
  const tlogProof = await prover.receipt(2, 'tlog-proof');
  expect(verifyTlogProof(tlogProof, vkey)).toMatchObject({ ok: true, value: { note } });

  const log = new MemoryLog(publishedFiles(recordsOf(ORDERS), signer));
  log.files.set('checkpoint', Buffer.from(note));
  const monitoring = { keys: [vkey], decode: decodeStrictly, acceptedEpoch: undefined };
  const monitor = new Monitor(log, new MemoryFiles(), monitoring, undefined);
  expect(await monitor.round()).toMatchObject({ kind: 'verified', size: 3, checked: 3 });
});

it('A policy with one witness more is refused', () => {
  expect(parseWitnessPolicy(policyOf(cosignersOf(MAX_WITNESSES + 1, 20)))).toEqual({
    ok: false,
    reason:
      'line 101 of the policy: it is one witness more than 99: a checkpoint has 100 signatures at ' +
      'most, one of them by the log',
  });
});

it('A policy with a key of a longer name is refused', () => {
  expect(parseWitnessPolicy(policyOf(cosignersOf(1, MAX_NAME_BYTES + 1)))).toEqual({
    ok: false,
    reason: 'line 2 of the policy: the name of the key has more than 255 bytes',
  });
});
