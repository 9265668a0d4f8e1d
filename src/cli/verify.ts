import { setImmediate } from 'node:timers/promises';
import type { Command } from 'commander';
import { byAnyKey } from '../app/audit/proofs/by-any-key.ts';
import { base64Of } from '../app/audit/proofs/bytes.ts';
import { isTlogProof, verifyTlogProof } from '../app/audit/proofs/tlog-proof.ts';
import { type ExpectedHead, headUnder } from '../app/audit/proofs/trail-check.ts';
import { isFinding } from '../app/audit/proofs/trail-file.ts';
import { verifyReceipt } from '../app/audit/proofs/verifier.ts';
import type { WitnessPolicy } from '../app/audit/proofs/witness-policy.ts';
import { headIn } from '../app/audit/trail/epoch-heads.ts';
import { verifyStore } from '../app/audit/trail/verify-store.ts';
import type { OrderId } from '../domain/order-id.ts';
import { requirePlainText } from '../infra/process/small-file.ts';
import type { ExplainedCommand } from './shared/command.ts';
import type { CommandLine, Output } from './shared/command-line.ts';
import { refuted, showsOtherwise } from './shared/exit-codes.ts';
import { withFile } from './shared/lines.ts';
import { addKey, addText, readOrderId, readPolicyFile } from './shared/options.ts';
import { withProgress } from './shared/progress.ts';
import { saidBy, showsCancellation } from './shared/receipt-words.ts';
import { readCheckpoints } from './shared/signed-checkpoints.ts';
import { logNameIn, otherKey, ownKeys } from './shared/store-keys.ts';
import { readTrail } from './shared/trail-lines.ts';
import { asJson, asText, type Report } from './shared/verify-report.ts';
import { checkWitnesses } from './shared/witness-check.ts';

interface VerifyOptions {
  readonly checkpoint: readonly string[];
  readonly key: readonly string[];
  readonly export?: string;
  readonly receipt?: string;
  readonly order?: OrderId;
  readonly witnessPolicy?: WitnessPolicy;
  readonly json?: boolean;
}

const EXPLANATION = `
Without --export or --receipt it checks the whole store that DATABASE_URL names, event by
event, and changes nothing; a server may be running. Keep a checkpoint out of reach of those who
can change the store: it reveals any rewriting of the events that it covers.

Without --key, checkpoints of the store may be signed with any key that it has a record of. These are
printed: compare them with those that you have got.

A receipt is of one event, which the last line says in words. With --order it must be the
cancellation of that order.

With --witness-policy, a quorum of its witnesses must have cosigned each checkpoint, or that of the
receipt. Without --key, the logs of the policy are those whose signatures count.

Exit codes: 0 verified, 1 it could not be checked, 2 a usage error, 3 verification failed,
4 the receipt is genuine and does not show that the order was cancelled.`;

/** Defines `verify`: checks a store, an export or a receipt. */
export function define(command: ExplainedCommand, commandLine: CommandLine): void {
  command
    .option(
      '--checkpoint <file>',
      'a checkpoint that the log must agree with; repeatable',
      addText,
      [],
    )
    .option('--key <key>', 'the public key of the log, or a file with it; repeatable', addKey, [])
    .option('--export <file>', 'check what `audit export` has written')
    .option('--receipt <file>', 'check a receipt, as JSON or as tlog-proof')
    .option('--order <order>', 'the order that the receipt must show as cancelled', readOrderId)
    .option(
      '--witness-policy <file>',
      'the witnesses that must have cosigned (C2SP tlog-policy)',
      readPolicyFile,
    )
    .option('--json', 'print the report as JSON')
    .explain(EXPLANATION)
    .example(
      'Check the store against a checkpoint that was kept',
      'verify --checkpoint kept.note --key log.vkey',
    )
    .example('Check a receipt', 'verify --receipt order-1.receipt --key log.vkey --order 1')
    .example(
      'Check that witnesses have seen the log of a receipt',
      'verify --receipt order-1.receipt --witness-policy policy',
    )
    .action((given: VerifyOptions) => {
      const options = { ...given, key: keysOf(given) };
      refuseContradictions(options, command);
      return verify(options, commandLine);
    });
}

function keysOf({ key, witnessPolicy }: VerifyOptions): readonly string[] {
  return key.length > 0 ? key : (witnessPolicy?.logs.map(({ vkey }) => vkey) ?? []);
}

function refuseContradictions(options: VerifyOptions, command: Command): void {
  const { receipt, key, checkpoint, witnessPolicy } = options;
  const outside = receipt ?? options.export;
  if (receipt !== undefined && options.export !== undefined) {
    command.error('error: --receipt and --export are checked one at a time');
  }
  if (outside !== undefined && key.length === 0) {
    command.error('error: without the store, the public key is needed: --key');
  }
  if (receipt === undefined && options.order !== undefined) {
    command.error('error: --order is for a receipt: --receipt');
  }
  if (receipt !== undefined && checkpoint.length > 0) {
    command.error('error: a receipt has a checkpoint of its own: --checkpoint is not for it');
  }
  if (witnessPolicy !== undefined && receipt === undefined && checkpoint.length === 0) {
    command.error('error: --witness-policy is for checkpoints or a receipt');
  }
}

async function verify(options: VerifyOptions, commandLine: CommandLine): Promise<void> {
  const { stdout } = commandLine.terminal;
  const report = await check(options, commandLine);
  stdout.write(options.json ? asJson(report) : asText(report));
  if (report.findings.length > 0) throw refuted('Problems were found.');
  if (report.asked?.isShown === false) {
    throw showsOtherwise('The receipt does not show the cancellation of that order.');
  }
}

function check(options: VerifyOptions, commandLine: CommandLine): Promise<Report> {
  if (options.receipt !== undefined) return checkReceipt(options.receipt, options, commandLine);
  if (options.export !== undefined) return checkExport(options.export, options, commandLine);
  return checkStore(options, commandLine);
}

async function checkReceipt(
  file: string,
  { key: keys, order, witnessPolicy }: VerifyOptions,
  { composition }: CommandLine,
): Promise<Report> {
  const text = requirePlainText(file);
  const verify = isTlogProof(text) ? verifyTlogProof : verifyReceipt;
  const held = byAnyKey(keys, (key) => verify(text, key));
  if (!held.ok) {
    const findings = [{ problem: `${file}: ${held.reason}` }];
    return { checked: 'receipt', checkpoints: [], findings };
  }
  const { position, record, checkpoint, note } = held.value;
  const { origin, size } = checkpoint;
  const { witnesses, findings = [] } = checkWitnesses(file, note, witnessPolicy) ?? {};
  const checkpoints = [{ file, origin, size, witnesses }];
  const says = saidBy(record, await composition.decoder());
  const isShown = showsCancellation(says) && says.order === String(order);
  const asked = order === undefined ? undefined : { order: String(order), isShown };
  return { checked: 'receipt', position, record, says, asked, checkpoints, findings };
}

async function checkExport(
  file: string,
  { key: keys, checkpoint, witnessPolicy }: VerifyOptions,
  { composition, terminal: { stderr } }: CommandLine,
): Promise<Report> {
  const decode = await composition.decoder();
  const { heads, checkpoints, refused } = readCheckpoints(checkpoint, keys, witnessPolicy);
  const headsOf = (origin: string) => heads.map((head) => headUnder(origin, head.name, head));
  const read = await counted(stderr, () =>
    withFile(file, (input) => readTrail(input, 'Checking', stderr, { decode, keys, headsOf })),
  );
  const { size: events, root, finding } = read;
  const findings = [...(finding === undefined ? [] : [finding]), ...refused];
  const exported =
    read.finding === undefined ? { file, origin: read.origin, source: read.source } : undefined;
  return { checked: 'export', events, root: base64(root), exported, checkpoints, findings };
}

async function checkStore(
  { checkpoint: files, key, witnessPolicy }: VerifyOptions,
  { composition, terminal: { stderr } }: CommandLine,
): Promise<Report> {
  const evidence = await (await composition.engine()).openEvidence();
  try {
    const isOwn = key.length === 0 && files.length > 0;
    const keys = isOwn ? ownKeys(await composition.verifierKey(), evidence, stderr) : key;
    const { epochs } = evidence;
    const { heads: signed, checkpoints, refused } = readCheckpoints(files, keys, witnessPolicy);
    const logName = logNameIn(evidence);
    const judged = signed.map((head) => headIn(epochs, head.name, head, logName));
    const heads = judged.filter((one): one is ExpectedHead => !isFinding(one));
    const { size, root, findings } = await counted(stderr, () =>
      withProgress(stderr, 'Checking', evidence.last, (advance) =>
        verifyStore(evidence, heads, (done) => {
          advance(done);
          return setImmediate();
        }),
      ),
    );
    return {
      checked: 'store',
      store: evidence.storeId,
      events: size,
      root: base64(root),
      ...(epochs.number > 0 && { breaks: epochs.breaks }),
      checkpoints,
      findings: [
        ...findings,
        ...(await otherKey(evidence, composition)),
        ...judged.filter(isFinding),
        ...refused,
      ],
    };
  } finally {
    await evidence.close();
  }
}

/** Prints the number of events checked, and their rate. */
async function counted<Result extends { readonly size: number }>(
  stderr: Output,
  work: () => Promise<Result>,
): Promise<Result> {
  const begun = performance.now();
  const result = await work();
  const seconds = (performance.now() - begun) / 1_000;
  const rate = Math.round(result.size / seconds);
  stderr.write(`${result.size} events in ${seconds.toFixed(1)} s: ${rate} a second\n`);
  return result;
}

function base64(root: Uint8Array | undefined): string | undefined {
  return root && base64Of(root);
}
