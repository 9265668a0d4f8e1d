import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { EXPLAINED_IN, explanations, type Mutant, rowOf, survivorsIn } from './survivors.ts';

/**
 * Runs Stryker, with the arguments given, and holds what survived against the page that explains
 * survivors: one that is not explained is a failure, and so is an explanation of none.
 */

const STRYKER = 'node_modules/@stryker-mutator/core/bin/stryker.js';
const REPORT = 'reports/mutation/mutation.json';

const given = ['run', ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, [STRYKER, ...given], { stdio: 'inherit' });
if (status !== 0) process.exit(1);

const report = JSON.parse(readFileSync(REPORT, 'utf8'));
const survivors = survivorsIn(report);
const explained = explanations();
const unexplained = survivors.filter(({ key }) => !explained.some((it) => it.key === key));
const outdated = explained.filter(({ file, key }) => {
  return file in report.files && !survivors.some((it) => it.key === key);
});
tell(`survived and are not explained in ${EXPLAINED_IN}`, unexplained);
tell(`are explained in ${EXPLAINED_IN} and did not survive`, outdated);
process.stdout.write(`${survivors.length} mutants survived.\n`);
process.exit(unexplained.length + outdated.length > 0 ? 1 : 0);

function tell(what: string, mutants: readonly Mutant[]): void {
  if (mutants.length === 0) return;
  process.stdout.write(`These ${what}:\n${mutants.map(rowOf).join('\n')}\n\n`);
}
