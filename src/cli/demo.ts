import type { ExplainedCommand } from './shared/command.ts';
import type { CommandLine } from './shared/command-line.ts';

/** Defines `demo`: runs the service on throw-away data. */
export function define(command: ExplainedCommand, { composition }: CommandLine): void {
  command.example('Explore a store with a year of orders', 'demo').action(() => composition.demo());
}
