/**
 * The commands of the command line, in the order in which help lists them. The module of a command
 * is loaded only where that command is run or described in full: all of them together take longer
 * to load than most commands take to run.
 */

import type { ExplainedCommand } from './shared/command.ts';
import type { CommandLine } from './shared/command-line.ts';

/** Gives a command its options, its subcommands and its action. */
type Define = (command: ExplainedCommand, commandLine: CommandLine) => void;

interface Entry {
  readonly summary: string;
  /** The heading in the list of commands. */
  readonly group: string;
  readonly load: () => Promise<Define>;
}

const CLIENT = 'Call a service:';
const SERVICE = 'Run the service:';
const STORE = 'Work on a store (DATABASE_URL):';
const AUDIT = 'Audit:';
const OTHER = 'Other commands:';

export const COMMANDS: Readonly<Record<string, Entry>> = {
  orders: {
    summary: 'list, show, place, ship and cancel orders',
    group: CLIENT,
    load: async () => (await import('./orders.ts')).defineOrders,
  },
  events: {
    summary: 'print what happened, and follow it',
    group: CLIENT,
    load: async () => (await import('./events.ts')).defineEvents,
  },
  follow: {
    summary: 'deliver each event to a command or a URL, in order, at least once',
    group: CLIENT,
    load: async () => (await import('./follow.ts')).defineFollow,
  },
  login: {
    summary: 'keep the address and the key of a service',
    group: CLIENT,
    load: async () => (await import('./login.ts')).defineLogin,
  },
  logout: {
    summary: 'forget the address and the key of a service',
    group: CLIENT,
    load: async () => (await import('./logout.ts')).defineLogout,
  },
  serve: {
    summary: 'run the service until it is stopped (SIGTERM, Ctrl-C)',
    group: SERVICE,
    load: async () => (await import('./serve.ts')).defineServe,
  },
  demo: {
    summary: 'run the service on throw-away data, with orders of every state in it',
    group: SERVICE,
    load: async () => (await import('./demo.ts')).defineDemo,
  },
  config: {
    summary: 'show the settings in force, and the source of each',
    group: SERVICE,
    load: async () => (await import('./config.ts')).defineConfig,
  },
  keys: {
    summary: 'create, limit, list and revoke API keys',
    group: STORE,
    load: async () => (await import('./keys.ts')).defineKeys,
  },
  import: {
    summary: 'import existing orders; a file with a bad line is refused as a whole',
    group: STORE,
    load: async () => (await import('./import.ts')).defineImport,
  },
  backup: {
    summary: 'copy the store to a new file, as of one moment, while the service may run',
    group: STORE,
    load: async () => (await import('./backup.ts')).defineBackup,
  },
  'accept-loss': {
    summary: 'accept the loss of events and continue in a new epoch',
    group: STORE,
    load: async () => (await import('./accept-loss.ts')).defineAcceptLoss,
  },
  migrate: {
    summary: 'bring a store in PostgreSQL up to date, and make the roles that go with it',
    group: STORE,
    load: async () => (await import('./migrate.ts')).defineMigrate,
  },
  'migrate-store': {
    summary: 'copy a store from one engine to another, with every proof unchanged',
    group: STORE,
    load: async () => (await import('./migrate-store.ts')).defineMigrateStore,
  },
  audit: {
    summary: 'show and prove the history of orders',
    group: AUDIT,
    load: async () => (await import('./audit.ts')).defineAudit,
  },
  replay: {
    summary: 'rebuild the list as of any moment from the log, while the service may run',
    group: AUDIT,
    load: async () => (await import('./replay.ts')).defineReplay,
  },
  verify: {
    summary: 'check that the log was not rewritten',
    group: AUDIT,
    load: async () => (await import('./verify.ts')).defineVerify,
  },
  witness: {
    summary: 'cosign the checkpoints of logs, for those who read them',
    group: AUDIT,
    load: async () => (await import('./witness.ts')).defineWitness,
  },
  monitor: {
    summary: 'follow a log from outside, and alert if it contradicts what it has signed',
    group: AUDIT,
    load: async () => (await import('./monitor.ts')).defineMonitor,
  },
  conformance: {
    summary: 'check any server against the contract, from outside',
    group: OTHER,
    load: async () => (await import('./conformance.ts')).defineConformance,
  },
  completion: {
    summary: 'print the completion of a shell: bash, zsh or fish',
    group: OTHER,
    load: async () => (await import('./completion.ts')).defineCompletion,
  },
  man: {
    summary: 'print the manual page',
    group: OTHER,
    load: async () => (await import('./man.ts')).defineMan,
  },
  help: {
    summary: 'explain a command',
    group: OTHER,
    load: async () => (await import('./help.ts')).defineHelp,
  },
};

/** Returns the names of the commands that have to be loaded to run a command line. */
export function commandsFor([first = '', second]: readonly string[]): readonly string[] {
  // These describe the whole tree.
  if (['completion', 'man'].includes(first)) return Object.keys(COMMANDS);
  if (first === 'help') return second === undefined ? [first] : [first, second];
  return [first];
}
