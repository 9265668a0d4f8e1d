import { InvalidArgumentError, Option } from 'commander';
import { CannotProve, type Prover } from '../app/audit/proving/prover.ts';
import {
  consistencyJson,
  inclusionJson,
  RECEIPT_FORMATS,
  type ReceiptFormat,
} from '../app/audit/proving/receipt.ts';
import { webhookKeyOf } from '../app/audit/proving/webhook.ts';
import { UserError } from '../app/lifecycle/user-error.ts';
import type { Place } from '../app/log/epochs.ts';
import type { CommandLineStore } from '../app/ports/store.ts';
import type { OrderId } from '../domain/order-id.ts';
import type { ExplainedCommand } from './shared/command.ts';
import { type CommandLine, withStore } from './shared/command-line.ts';
import { requireNew, writeWhole } from './shared/new-file.ts';
import { placeIn, readOrderId, readPlace } from './shared/options.ts';
import { eventsOf } from './shared/order-events.ts';
import { print } from './shared/print.ts';

interface Out {
  readonly out?: string;
}

interface WitnessedOption extends Out {
  readonly witnessed?: true;
}

interface ProveOptions extends Out {
  readonly size?: number;
  readonly consistency?: number;
}

interface ReceiptOptions extends WitnessedOption {
  readonly format: ReceiptFormat;
  readonly position?: Place;
}

/** Adds the commands that print keys, checkpoints, epochs, proofs and receipts. */
export function addAuditProofs(audit: ExplainedCommand, commandLine: CommandLine): void {
  audit
    .command('public-key')
    .description('print the public key that checkpoints are verified with')
    .option('--webhook', 'in the form that receivers of webhooks take: whpk_…')
    .example('Keep the public key', 'audit public-key > log.vkey')
    .action(({ webhook }: { readonly webhook?: true }) =>
      prove(commandLine, {}, async ({ verifierKey }) =>
        webhook ? `${webhookKeyOf(verifierKey)}\n` : `${verifierKey}\n`,
      ),
    );
  audit
    .command('checkpoint')
    .description('sign the current state of the log: about 200 bytes, to be kept elsewhere')
    .option('--witnessed', 'the newest one that a quorum of witnesses has cosigned')
    .option('--out <file>', 'write it to a new file')
    .example('Keep a checkpoint', 'audit checkpoint --out today.note')
    .action((options: WitnessedOption) => {
      return prove(commandLine, options, async (prover) => {
        return (options.witnessed ? prover.witnessed() : await prover.bestCheckpoint()).note;
      });
    });
  audit
    .command('epochs')
    .description('print the signed statement of each cut of the log')
    .option('--out <file>', 'write them to a new file')
    .example('Show where the log was cut', 'audit epochs')
    .action((options: Out) => {
      return prove(commandLine, options, async (prover) => prover.breaks().join('\n'));
    });
  addProve(audit, commandLine);
  addReceipt(audit, commandLine);
}

function addProve(audit: ExplainedCommand, commandLine: CommandLine): void {
  audit
    .command('prove')
    .description('prove that an event is in the log, or that the log extends an earlier state')
    .argument('[position]', 'the position of the event', readCount)
    .option(
      '--size <size>',
      'the size of the log to prove it for; default: the current size',
      readCount,
    )
    .option('--consistency <from>', 'prove that the log extends its state at this size', readCount)
    .option('--out <file>', 'write it to a new file')
    .example('Prove that event 4 is in the log', 'audit prove 4')
    .example('Prove that the log extends its state at 100 events', 'audit prove --consistency 100')
    .action((position: number | undefined, options: ProveOptions, command) => {
      if ((position === undefined) === (options.consistency === undefined)) {
        command.error('error: name either a position or --consistency');
      }
      return prove(commandLine, options, (prover) => proofOf(prover, position, options));
    });
}

function addReceipt(audit: ExplainedCommand, commandLine: CommandLine): void {
  audit
    .command('receipt')
    .description('write a permanent proof of a cancellation')
    .argument('[order]', 'the id of the order that was cancelled', readOrderId)
    .option('--position <position>', 'prove the event at this position, of any type', readPlace)
    .addOption(
      new Option('--format <format>', 'as JSON, or as C2SP tlog-proof')
        .choices(RECEIPT_FORMATS)
        .default('json'),
    )
    .option('--witnessed', 'refuse to write it without cosignatures of a quorum of witnesses')
    .option('--out <file>', 'write it to a new file')
    .example('Write the receipt of a cancellation', 'audit receipt 1 --out order-1.receipt')
    .action((orderId: OrderId | undefined, options: ReceiptOptions, command) => {
      if ((orderId === undefined) === (options.position === undefined)) {
        command.error('error: name either an order or --position');
      }
      return prove(commandLine, options, async (prover, store) => {
        const position =
          options.position === undefined
            ? await cancelledAt(store, orderId as OrderId, commandLine)
            : placeIn(store.epochs, '--position', options.position);
        const receipt = await prover.receipt(position, options.format, options.witnessed);
        return receipt.endsWith('\n') ? receipt : `${receipt}\n`;
      });
    });
}

async function prove(
  commandLine: CommandLine,
  { out }: Out,
  ask: (prover: Prover, store: CommandLineStore) => Promise<string>,
): Promise<void> {
  const { stdout, stderr } = commandLine.terminal;
  if (out !== undefined) requireNew(out);
  const text = await withStore(commandLine, async (store) =>
    ask(await commandLine.composition.proverOf(store), store).catch(rethrowReadably),
  );
  if (out === undefined) return print([text], stdout);
  await writeWhole(out, [text]);
  stderr.write(`Wrote ${out}.\n`);
}

async function proofOf(
  prover: Prover,
  position: number | undefined,
  { size, consistency: from = 0 }: ProveOptions,
): Promise<string> {
  const to = size ?? (await prover.checkpoint()).size;
  if (position === undefined)
    return `${consistencyJson(from, to, await prover.consistency(from, to))}\n`;
  return `${inclusionJson(position, to, await prover.inclusion(position, to))}\n`;
}

/** Returns the position at which an order was cancelled. */
async function cancelledAt(
  store: CommandLineStore,
  orderId: OrderId,
  commandLine: CommandLine,
): Promise<number> {
  const { positions, status } = await eventsOf(orderId, store, commandLine);
  if (status === 'cancelled') return positions.at(-1) as number;
  throw new UserError(`The order ${orderId} is not cancelled.`);
}

function rethrowReadably(error: Error): never {
  if (error instanceof CannotProve) throw new UserError(`Nothing was proven: ${error.message}.`);
  throw error;
}

function readCount(text: string): number {
  if (/^(?:0|[1-9]\d{0,14})$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 0 on.');
}
