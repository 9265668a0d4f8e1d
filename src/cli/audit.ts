import { addAuditExport } from './audit-export.ts';
import { addAuditImport } from './audit-import.ts';
import { addAuditNewKey } from './audit-new-key.ts';
import { addAuditProofs } from './audit-proofs.ts';
import { addAuditRefusals } from './audit-refusals.ts';
import { addAuditShow } from './audit-show.ts';
import { addAuditTiles } from './audit-tiles.ts';
import type { ExplainedCommand } from './shared/command.ts';
import type { CommandLine } from './shared/command-line.ts';

/** Defines `audit`, with one subcommand for each question about the trail. */
export function define(audit: ExplainedCommand, commandLine: CommandLine): void {
  addAuditShow(audit, commandLine);
  addAuditProofs(audit, commandLine);
  addAuditNewKey(audit, commandLine);
  addAuditExport(audit, commandLine);
  addAuditImport(audit, commandLine);
  addAuditTiles(audit, commandLine);
  addAuditRefusals(audit, commandLine);
}
