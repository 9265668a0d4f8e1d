import { base64Of } from '../app/audit/base64.ts';
import { copyStore } from '../app/lifecycle/copy-store.ts';
import type { ExplainedCommand } from './shared/command.ts';
import type { CommandLine } from './shared/command-line.ts';
import { withProgress } from './shared/progress.ts';
import { type JsonOption, printResult, withJson } from './shared/results.ts';

const EXPLANATION = `
An address is as in DATABASE_URL: sqlite:FILE, or postgres://USER@HOST/DATABASE. Stop everything that
uses the store first. The copy has the same events to the byte, the same keys and the same id; the
store itself is not changed. The same command continues a copy that was interrupted.`;

interface Addresses extends JsonOption {
  readonly from: string;
  readonly to: string;
}

/** Defines `migrate-store`: copies a store from one engine to another. */
export function defineMigrateStore(command: ExplainedCommand, commandLine: CommandLine): void {
  withJson(command)
    .requiredOption('--from <address>', 'the existing store')
    .requiredOption('--to <address>', 'the place of the copy, which must be empty')
    .explain(EXPLANATION)
    .example(
      'Move a store to PostgreSQL',
      'migrate-store --from sqlite:./data/store-orders.db --to postgres://me@db.example.com/orders',
    )
    .action((addresses: Addresses) => migrateStore(addresses, commandLine));
}

async function migrateStore(
  addresses: Addresses,
  { composition, terminal }: CommandLine,
): Promise<void> {
  const from = await (await composition.engine(addresses.from)).openOriginal();
  try {
    const to = await (await composition.engine(addresses.to)).openCopy(from.id);
    try {
      const total = (await from.trail.treeHead()).size;
      const { size, root } = await withProgress(terminal.stderr, 'Copying', total, (advance) =>
        copyStore(from, to, advance),
      );
      const rootText = base64Of(root);
      const text = `Copied the store: ${size} events. Their root is ${rootText}\n`;
      printResult(terminal.stdout, addresses, { value: { events: size, root: rootText }, text });
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}
