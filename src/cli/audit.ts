import type { Command } from 'commander';
import { addAuditExport } from './audit-export.ts';
import { addAuditImport } from './audit-import.ts';
import { addAuditNewKey } from './audit-new-key.ts';
import { addAuditProofs } from './audit-proofs.ts';
import { addAuditRefusals } from './audit-refusals.ts';
import { addAuditShow } from './audit-show.ts';
import type { CommandLine } from './shared/command-line.ts';

/** Adds `audit`, with one subcommand for each question about the trail. */
export function addAudit(program: Command, commandLine: CommandLine): void {
  const audit = program
    .command('audit')
    .description('show and prove the history of orders')
    .helpCommand(false);
  addAuditShow(audit, commandLine);
  addAuditProofs(audit, commandLine);
  addAuditNewKey(audit, commandLine);
  addAuditExport(audit, commandLine);
  addAuditImport(audit, commandLine);
  addAuditRefusals(audit, commandLine);
}
