import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { type RulesetDefinition, Spectral } from '@stoplight/spectral-core';
import owasp from '@stoplight/spectral-owasp-ruleset';
import { describe, expect, test } from 'vitest';
import { WAIVERS } from './waivers.ts';

const FILES = ['docs/openapi-v1.json', 'docs/openapi-v2.json'];

/** Returns the violations of OWASP's rules in a description, as `rule at path`. */
async function findings(file: string): Promise<string[]> {
  const spectral = new Spectral();
  // The package's types describe its CommonJS form.
  spectral.setRuleset(owasp as unknown as RulesetDefinition);
  const results = await spectral.run(JSON.parse(readFileSync(file, 'utf8')));
  const all = results.map(({ code, path }) => `${code} at ${path.join(' ')}`);
  return [...new Set(all)];
}

function isWaived(finding: string, { rule, where }: (typeof WAIVERS)[number]): boolean {
  const [code, path = ''] = finding.split(' at ');
  return code === rule && where.test(path);
}

describe.each(FILES)('%s', (file) => {
  test("passes redocly's strictest rules", async () => {
    const redocly = 'node_modules/@redocly/cli/bin/cli.js';
    const args = [redocly, 'lint', '--extends=recommended-strict', '--format=json', file];
    const env = {
      ...process.env,
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    };
    // It exits with an error if a rule is violated, and prints the violations.
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    expect(JSON.parse(stdout).totals).toMatchObject({ errors: 0, warnings: 0, ignored: 0 });
  });

  test("passes OWASP's rules, except for the waived ones", async () => {
    const all = await findings(file);
    const rest = all.filter((finding) => !WAIVERS.some((waiver) => isWaived(finding, waiver)));
    expect(rest).toEqual([]);
  });
});

test('every waiver is still needed', async () => {
  const all = (await Promise.all(FILES.map(findings))).flat();
  const idle = WAIVERS.filter((waiver) => !all.some((finding) => isWaived(finding, waiver)));
  expect(idle).toEqual([]);
});
