import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { type RulesetDefinition, Spectral } from '@stoplight/spectral-core';
import owasp from '@stoplight/spectral-owasp-ruleset';
import { oas } from '@stoplight/spectral-rulesets';
import { describe, expect, test } from 'vitest';
import { OAS_WAIVERS, WAIVERS } from './waivers.ts';

const FILES = ['docs/openapi-v1.json', 'docs/openapi-v2.json'];

/** Returns the violations of a set of rules in a description, as `rule at path`. */
async function findings(file: string, rules: unknown = owasp): Promise<string[]> {
  const spectral = new Spectral();
  // The packages' types describe their CommonJS form.
  spectral.setRuleset(rules as RulesetDefinition);
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

  test("passes all of Spectral's rules for OpenAPI, except the waived ones", async () => {
    const all = await findings(file, { extends: [[oas, 'all']], rules: OAS_WAIVERS });
    expect(all).toEqual([]);
  });

  test("passes OWASP's rules, except for the waived ones", async () => {
    const all = await findings(file);
    const rest = all.filter((finding) => !WAIVERS.some((waiver) => isWaived(finding, waiver)));
    expect(rest).toEqual([]);
  });
});

test('every waiver is still needed', async () => {
  const all = (await Promise.all(FILES.map((file) => findings(file)))).flat();
  const idle = WAIVERS.filter((waiver) => !all.some((finding) => isWaived(finding, waiver)));
  expect(idle).toEqual([]);
});
