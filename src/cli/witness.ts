import { type Command, InvalidArgumentError } from 'commander';
import { MAX_KEY_NAME_BYTES } from '../app/audit/proofs/witness-policy.ts';
import { type KnownLogs, knownLogs } from '../app/audit/witness/submitted-checkpoint.ts';
import { UserError } from '../app/lifecycle/user-error.ts';
import type { ExplainedCommand } from './shared/command.ts';
import type { CommandLine } from './shared/command-line.ts';
import { untilStopped } from './shared/interrupt.ts';
import { addKey, addText, readPolicyFile, wholeNumber } from './shared/options.ts';

const EXPLANATION = `
A witness (C2SP tlog-witness) cosigns a checkpoint only if it is consistent with what it has
cosigned before. Run it where the operators of the logs cannot change it.

The first start, with --name, makes the key and the database; both are then needed at each start.
Never go on with an older copy of the database: such a witness has forgotten what it cosigned.

The log of one --log is of the name in its key. A log of Store Orders that lost events goes on
under another origin: the witness does not know it until you name it with --origin.`;

interface WitnessOptions {
  readonly db: string;
  readonly key: string;
  readonly name?: string;
  readonly log: readonly string[];
  readonly logs?: string;
  readonly origin: readonly string[];
  readonly host: string;
  readonly port: number;
  readonly rate: number;
}

/** Defines `witness`: runs a witness of logs. */
export function define(command: ExplainedCommand, commandLine: CommandLine): void {
  command
    .requiredOption('--db <file>', 'the database of what it has cosigned')
    .requiredOption('--key <file>', 'the file of its private key')
    .option('--name <name>', 'the name of a new key: an address without https://', readName)
    .option('--log <key>', 'the public key of a log, or a file with it; repeatable', addKey, [])
    .option('--logs <file>', 'a policy (C2SP tlog-policy), the logs of which it cosigns')
    .option('--origin <origin>', 'a later epoch of one of the logs; repeatable', addText, [])
    .option('--host <host>', 'the address to listen on', '127.0.0.1')
    .option(
      '--port <port>',
      'the port to listen on; 0 takes a free one',
      wholeNumber(0, 65_535),
      3001,
    )
    .option('--rate <count>', 'requests a minute of one address', wholeNumber(1, 999_999), 120)
    .explain(EXPLANATION)
    .example(
      'Be a new witness of a log',
      'witness --db w1.db --key w1.key --name example.com/w1 --log log.vkey',
    )
    .action((options: WitnessOptions) => witness(options, logsOf(options, command), commandLine));
}

async function witness(
  { db, key, name, host, port, rate }: WitnessOptions,
  logs: KnownLogs,
  { composition, terminal }: CommandLine,
): Promise<void> {
  const settings = { databaseFile: db, keyFile: key, name, logs, host, port, perMinute: rate };
  await untilStopped((signal) =>
    composition.witness(settings, signal, ({ address, verifierKey }) => {
      terminal.stderr.write(
        `The witness answers at ${address}\nIts public key, for policies:\n${verifierKey}\n`,
      );
    }),
  );
}

function logsOf({ log, logs: file, origin }: WitnessOptions, command: Command): KnownLogs {
  const listed = file === undefined ? [] : readPolicyFile(file).logs.map(({ vkey }) => vkey);
  const known = knownLogs([...log, ...listed], origin);
  if (!known.ok) throw new UserError(`${known.reason}.`);
  if (known.value.size === 0) return command.error('error: name a log: --log or --logs');
  return known.value;
}

/** No white space and no plus sign, which are delimiters, and no scheme. */
function readName(text: string): string {
  const isShort = Buffer.byteLength(text) <= MAX_KEY_NAME_BYTES;
  if (isShort && /^(?!\w+:\/\/)[^\p{White_Space}\p{Cc}+]+$/u.test(text)) return text;
  throw new InvalidArgumentError(
    `It must be like an address without https://, without blanks, of ${MAX_KEY_NAME_BYTES} bytes at most.`,
  );
}
