import { addOrderCommands } from './orders-change.ts';
import { addOrdersList } from './orders-list.ts';
import type { ExplainedCommand } from './shared/command.ts';
import type { CommandLine } from './shared/command-line.ts';

/** Defines `orders`, with one subcommand for each thing that a client does with orders. */
export function define(orders: ExplainedCommand, commandLine: CommandLine): void {
  addOrdersList(orders, commandLine);
  addOrderCommands(orders, commandLine);
}
