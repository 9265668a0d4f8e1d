import type { Command } from 'commander';
import { addAuditExport } from './audit-export.ts';
import { addAuditImport } from './audit-import.ts';
import { addAuditNewKey } from './audit-new-key.ts';
import { addAuditProofs } from './audit-proofs.ts';
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
  addAuditProofs(audit, commandLine);
  addAuditNewKey(audit, commandLine);
  addAuditExport(audit, commandLine);
  addAuditImport(audit, commandLine);
  addAuditRefusals(audit, commandLine);
}
