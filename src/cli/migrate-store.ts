import { base64Of } from '../app/audit/proofs/bytes.ts';
import { copyStore } from '../app/lifecycle/copy-store.ts';
import { StoreIsThere } from '../app/lifecycle/user-error.ts';
import type { TreeHead } from '../app/log/merkle-tree.ts';
import type { Engine } from '../app/ports/engine.ts';
import type { StoreCopy, StoreOriginal } from '../app/ports/store-copy.ts';
import type { ExplainedCommand } from './shared/command.ts';
import type { CommandLine, Terminal } from './shared/command-line.ts';
import { withProgress } from './shared/progress.ts';
import { type JsonOption, printResult, withJson } from './shared/results.ts';

const EXPLANATION = `
An address is as in DATABASE_URL: sqlite:FILE, or postgres://USER@HOST/DATABASE. Stop everything that
uses the store first. The copy has the same events to the byte, the same keys and the same id; the
store itself keeps everything, and is marked as moved. The same command continues a copy that was
interrupted.`;

interface Addresses extends JsonOption {
  readonly from: string;
  readonly to: string;
}

/** Defines `migrate-store`: copies a store from one engine to another. */
export function define(command: ExplainedCommand, commandLine: CommandLine): void {
  withJson(command)
    .requiredOption('--from <address>', 'the existing store')
    .requiredOption('--to <address>', 'the place of the copy, which must be empty')
    .explain(EXPLANATION)
    .example(
      'Move a store to PostgreSQL',
      'migrate-store --from sqlite:./data/store-orders.db --to postgres://me@db.example.com/orders',
    )
    .action(async (addresses: Addresses) => {
      if (addresses.from === addresses.to) {
        command.error('error: --from and --to are the same address');
      }
      const at = (option: 'from' | 'to') =>
        engineAt(option, addresses[option], command, commandLine);
      const [from, to] = [await at('from'), await at('to')];
      try {
        await migrateStore(from, to, addresses, commandLine.terminal);
      } catch (error) {
        // The original has named itself in the errors of its few writes.
        throw from.named(to.named(error));
      }
    });
}

/** Returns the engine at an address. One that is none is a usage error. */
async function engineAt(
  option: string,
  address: string,
  command: ExplainedCommand,
  { composition }: CommandLine,
): Promise<Engine> {
  try {
    return await composition.engine(address);
  } catch (error) {
    return command.error(`error: --${option}: ${(error as Error).message}`);
  }
}

async function migrateStore(
  source: Engine,
  target: Engine,
  options: JsonOption,
  terminal: Terminal,
): Promise<void> {
  const from = await source.openOriginal();
  try {
    const print = ({ size, root }: TreeHead) => {
      const rootText = base64Of(root);
      const text = `Copied the store: ${size} events. Their root is ${rootText}\n`;
      printResult(terminal.stdout, options, { value: { events: size, root: rootText }, text });
    };
    const to = await openCopy(from, target);
    // Nothing was recorded in the store since it was handed over.
    if (to === undefined) return print(await from.trail.treeHead());
    try {
      const total = (await from.trail.treeHead()).size;
      const copying = (advance: (events: number) => void) => copyStore(from, to, advance);
      print(await withProgress(terminal.stderr, 'Copying', total, copying));
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

/**
 * Returns the copy of a store at another place; `undefined` if it is complete: the command that
 * completed it may have ended without a report.
 */
async function openCopy(from: StoreOriginal, target: Engine): Promise<StoreCopy | undefined> {
  try {
    return await target.openCopy(from.id);
  } catch (error) {
    if (!(error instanceof StoreIsThere) || error.copyId === undefined) throw error;
    if (await from.wasHandedTo(error.copyId)) return undefined;
    throw error;
  }
}
