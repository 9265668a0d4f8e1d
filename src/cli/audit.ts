import type { Command } from 'commander';
import { addAuditRefusals } from './audit-refusals.ts';
import { addAuditShow } from './audit-show.ts';
import type { CommandLine } from './command-line.ts';

/** What auditors ask of the trail: one subcommand each. */
export function addAudit(program: Command, commandLine: CommandLine): void {
  const audit = program
    .command('audit')
    .description('show what happened, and prove it')
    .helpCommand(false);
  addAuditShow(audit, commandLine);
  addAuditRefusals(audit, commandLine);
}
