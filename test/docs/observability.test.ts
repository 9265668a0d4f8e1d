import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { Cosigner } from '../../src/app/audit/witness/cosigner.ts';
import { temporaryFolder } from '../support/folder.ts';
import { oneService } from '../support/one-service.ts';
import { HAS_PROMTOOL, promtool } from '../support/promtool.ts';
import { bearer, Service } from '../support/service.ts';
import { tableOf } from './markdown.ts';

const FOLDER = 'docs/observability';
const RULES = readFileSync(join(FOLDER, 'alerts.yml'), 'utf8');
const ALERTS = [...RULES.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly gridPos: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
  readonly datasource?: { readonly uid: string };
  readonly targets?: readonly { readonly expr: string; readonly datasource: { uid: string } }[];
}
const { panels }: { panels: readonly Panel[] } = JSON.parse(
  readFileSync(join(FOLDER, 'dashboard.json'), 'utf8'),
);
const SHOWN = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

/** Returns the names of metrics in expressions or rules, but for labels and functions. */
function metricsIn(text: string): ReadonlySet<string> {
  return new Set(text.match(/\b(?:store_orders|http|process|nodejs)_\w+/g));
}

const { service } = await oneService();

test('Alerts and board name only metrics that the service has', async () => {
  const answer = await fetch(`${service.address}/metrics`, { headers: bearer(service.key) });
  const types = (await answer.text()).matchAll(/^# TYPE (\S+) (\w+)$/gm);
  const names = new Set(
    types.flatMap(([, name, kind]) =>
      (kind === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']).map((end) => `${name}${end}`),
    ),
  );
  const used = [...metricsIn(RULES), ...SHOWN.flatMap((expr) => [...metricsIn(expr)])];
  expect(used.length).toBeGreaterThan(20);
  expect(used.filter((name) => !names.has(name))).toEqual([]);
});

test('Each counter whose rise is alerted on has its series from 0, before its first count', async () => {
  await using fresh = new Service();
  const policyFile = join(fresh.folder, 'witnesses');
  const key = Cosigner.generate('witness.example/w').verifierKey;
  // Nobody listens there.
  writeFileSync(policyFile, `witness W ${key} http://127.0.0.1:9\nquorum W\n`);
  await fresh.start({ WITNESS_POLICY: policyFile });
  const answer = await fetch(`${fresh.address}/metrics`, { headers: bearer(fresh.key) });
  const lines = (await answer.text()).split('\n');
  const counted = [
    ...RULES.matchAll(/(?:increase|rate)\((store_orders_\w+_total)\{(\w+)=~?"([^"]+)"\}\[/g),
  ].flatMap(([, name, label, values = '']) =>
    values.split('|').map((value) => [name, `${label}="${value}"`] as const),
  );
  expect(counted.length).toBeGreaterThan(8);
  for (const [name, label] of counted) {
    const line = lines.find((each) => each.startsWith(`${name}{`) && each.includes(label));
    expect(line, `${name} ${label}`).toMatch(/\} 0$/);
  }
});

test('A window is at most half as long as its alert waits', () => {
  const rules = RULES.split('- alert: ').slice(1);
  const windows = rules.flatMap((rule) => {
    const [, waits] = /^ +for: (\d+)m$/m.exec(rule) ?? [];
    // That nothing changes in a window is no single event.
    return [...rule.matchAll(/\b(?!changes)\w+\([^()]*\[(\d+)m\]/g)].flatMap(([text, minutes]) =>
      waits === undefined ? [] : [{ text, minutes: Number(minutes), waits: Number(waits) }],
    );
  });
  expect(windows.length).toBeGreaterThan(8);
  expect(windows.filter(({ minutes, waits }) => minutes > waits / 2)).toEqual([]);
});

test('The page lists exactly the alerts, with their severities', () => {
  const severities = [...RULES.matchAll(/severity: (\w+)/g)].map(([, severity]) => severity);
  const listed = tableOf(`${FOLDER}/README.md`, 'alert | fires when | severity');
  expect(listed.map(([name, , severity]) => [name, severity])).toEqual(
    ALERTS.map((name, index) => [name, severities[index]]),
  );
});

test('Each row of what to alert on has its rules, and each rule is in a row', () => {
  const rows = tableOf('docs/operations/monitoring.md', 'alert on | because | then | rules');
  const named = rows.flatMap(([, , , rules = '']) => {
    return rules === 'none'
      ? []
      : rules.split(', ').map((rule) => `StoreOrders${rule.replaceAll('`', '')}`);
  });
  expect([...new Set(named)].sort()).toEqual(ALERTS.toSorted());
});

test('Each runbook is a page that exists, with the section that it names', () => {
  const runbooks = [...RULES.matchAll(/runbook: (\S+)/g)].map(([, runbook = '']) => runbook);
  expect(runbooks).toHaveLength(ALERTS.length);
  for (const runbook of runbooks) {
    const [page = '', section] = runbook.split('#');
    const anchors = [...readFileSync(page, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    );
    if (section !== undefined) expect(anchors, runbook).toContain(section);
  }
});

/** Returns the file of the tests of the rules, with those of one alert only: all of them take long. */
function testsOf(alert: string): string {
  const [head = '', ...tests] = readFileSync(join(FOLDER, 'alerts-test.yml'), 'utf8').split(
    /^(?= {2}- interval: )/m,
  );
  return [head, ...tests.filter((each) => each.includes(`alertname: ${alert}\n`))].join('');
}

describe.skipIf(!HAS_PROMTOOL)('By promtool', () => {
  it('the rules are well-formed, and their tests pass', () => {
    expect(promtool(['check', 'rules', join(FOLDER, 'alerts.yml')])).toMatchObject({ status: 0 });
    const tested = promtool(['test', 'rules', join(FOLDER, 'alerts-test.yml')]);
    expect(tested.status, tested.output).toBe(0);
  });

  it.each(ALERTS)('a test fails if %s never fires', (name) => {
    const folder = temporaryFolder();
    cpSync(FOLDER, folder, { recursive: true });
    const silent = RULES.replace(
      new RegExp(`(- alert: ${name}\\n(?:\\s+#.*\\n)?\\s+expr: )(?:\\|\\n(?: {10,}.*\\n)+|.*\\n)`),
      '$1vector(0) > 1\n',
    );
    expect(silent).not.toBe(RULES);
    writeFileSync(join(folder, 'alerts.yml'), silent);
    writeFileSync(join(folder, 'alerts-test.yml'), testsOf(name));
    const { status, output } = promtool(['test', 'rules', join(folder, 'alerts-test.yml')]);
    expect([status, output]).toEqual([1, expect.stringContaining(name)]);
  });

  it('every expression of the board is one', () => {
    const exprs = SHOWN.map((expr) => expr.replaceAll('$__rate_interval', '5m'));
    const rules = exprs.map(
      (expr, n) => `      - record: panel_${n}\n        expr: ${JSON.stringify(expr)}\n`,
    );
    const file = join(temporaryFolder(), 'panels.yml');
    writeFileSync(file, `groups:\n  - name: board\n    rules:\n${rules.join('')}`);
    const { status, output } = promtool(['check', 'rules', file]);
    expect(status, output).toBe(0);
  });
});

test.skipIf(!HAS_PROMTOOL)('The board shows the events of two instances on one log once', () => {
  const [shown = ''] = SHOWN.filter((expr) => expr.includes('store_orders_events_total'));
  const expr = shown.replace('$__rate_interval', '5m').replaceAll('$instance', '.*');
  const series = ['one', 'two'].map((instance) => ({
    series: `store_orders_events_total{type="OrderPlaced", instance="${instance}"}`,
    values: '0+60x10',
  }));
  const labels = '{type="OrderPlaced"}';
  const expected = { expr, eval_time: '10m', exp_samples: [{ labels, value: 1 }] };
  const story = { interval: '1m', input_series: series, promql_expr_test: [expected] };
  const file = join(temporaryFolder(), 'board-test.yml');
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ rule_files: [], tests: [story] }));
  const { status, output } = promtool(['test', 'rules', file]);
  expect(status, output).toBe(0);
});

test('The panels of the board have ids of their own, and do not overlap', () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const cells = panels.flatMap(({ title, gridPos: { x, y, w, h } }) => {
    expect(x + w, title).toBeLessThanOrEqual(24);
    return Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`);
  });
  expect(new Set(cells).size).toBe(cells.length);
});

test('The board takes its data source from the variable alone', () => {
  for (const { title, targets = [] } of panels) {
    for (const { datasource } of targets)
      expect(datasource.uid, title).toMatch(/^\$\{datasource\}$/);
  }
});
