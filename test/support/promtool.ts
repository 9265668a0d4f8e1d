/** The tool of Prometheus that checks metrics and rules. Where it is not installed, tests skip it. */
import { spawnSync } from 'node:child_process';

export const HAS_PROMTOOL = spawnSync('promtool', ['--version']).status === 0;

/** Runs it to its end, with a text on its standard input. */
export function promtool(args: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8', input });
  return { status, output: stdout + stderr };
}
