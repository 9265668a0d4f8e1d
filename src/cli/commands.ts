/**
 * The commands of the command line, in the order in which help lists them. The module of a command
 * is loaded only where that command is run or described in full: all of them together take longer
 * to load than most commands take to run.
 */

import type { ExplainedCommand } from './shared/command.ts';
import type { CommandLine } from './shared/command-line.ts';

/** Gives a command its options, its subcommands and its action. */
type Define = (command: ExplainedCommand, commandLine: CommandLine) => void;

/** A command: its summary, and the import of its module. */
type Entry = readonly [summary: string, load: () => Promise<{ readonly define: Define }>];

/** The commands by the headings in the list of commands. */
export const COMMANDS: Readonly<Record<string, Readonly<Record<string, Entry>>>> = {
  'Call a service:': {
    orders: ['list, show, place, ship and cancel orders', () => import('./orders.ts')],
    events: ['print what happened, and follow it', () => import('./events.ts')],
    follow: [
      'deliver each event to a command or a URL, in order, at least once',
      () => import('./follow.ts'),
    ],
    login: ['keep the address and the key of a service', () => import('./login.ts')],
    logout: ['forget the address and the key of a service', () => import('./logout.ts')],
  },
  'Run the service:': {
    serve: ['run the service until it is stopped (SIGTERM, Ctrl-C)', () => import('./serve.ts')],
    demo: [
      'run the service on throw-away data, with orders of every state in it',
      () => import('./demo.ts'),
    ],
    config: ['show the settings in force, and the source of each', () => import('./config.ts')],
  },
  'Work on a store (DATABASE_URL):': {
    keys: ['create, limit, list and revoke API keys', () => import('./keys.ts')],
    import: [
      'import existing orders; a file with a bad line is refused as a whole',
      () => import('./import.ts'),
    ],
    backup: [
      'copy the store to a new file, as of one moment, while the service may run',
      () => import('./backup.ts'),
    ],
    'accept-loss': [
      'accept the loss of events and continue in a new epoch',
      () => import('./accept-loss.ts'),
    ],
    migrate: [
      'bring a store in PostgreSQL up to date, and make the roles that go with it',
      () => import('./migrate.ts'),
    ],
    'migrate-store': [
      'copy a store from one engine to another, with every proof unchanged',
      () => import('./migrate-store.ts'),
    ],
  },
  'Audit:': {
    audit: ['show and prove the history of orders', () => import('./audit.ts')],
    replay: [
      'rebuild the list as of any moment from the log, while the service may run',
      () => import('./replay.ts'),
    ],
    verify: ['check that the log was not rewritten', () => import('./verify.ts')],
    witness: [
      'cosign the checkpoints of logs, for those who read them',
      () => import('./witness.ts'),
    ],
    monitor: [
      'follow a log from outside, and alert if it contradicts what it has signed',
      () => import('./monitor.ts'),
    ],
  },
  'Other commands:': {
    conformance: [
      'check any server against the contract, from outside',
      () => import('./conformance.ts'),
    ],
    completion: [
      'print the completion of a shell: bash, zsh or fish',
      () => import('./completion.ts'),
    ],
    man: ['print the manual page', () => import('./man.ts')],
    help: ['explain a command', () => import('./help.ts')],
  },
};

/** The names of all commands. */
export const NAMES: readonly string[] = Object.values(COMMANDS).flatMap(Object.keys);

/** Returns the names of the commands that have to be loaded to run a command line. */
export function commandsFor([first = '', second]: readonly string[]): readonly string[] {
  // These describe the whole tree.
  if (['completion', 'man'].includes(first)) return NAMES;
  if (first === 'help') return second === undefined ? [first] : [first, second];
  return [first];
}
