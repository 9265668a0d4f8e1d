import { expect, test } from 'vitest';
import type { Report } from './conformance.ts';
import { asJUnit, asText } from './report.ts';

const report: Report = {
  baseUrl: 'http://127.0.0.1/v1?a&b',
  seed: 3,
  runs: 1,
  concurrency: 1,
  readOnly: false,
  durationMs: 1_500,
  passed: 1,
  failed: 1,
  skipped: 2,
  unfinished: 1,
  limited: 0,
  unavailable: 0,
  checks: [
    { name: 'one', group: 'list', basis: 'contract', result: 'passed', durationMs: 10 },
    {
      ...{ name: 'two', group: 'cancel', basis: 'promise', result: 'failed', durationMs: 20 },
      reason: 'it is 404 {"a":<\u0000\ud800>}',
      script: 'curl "$BASE"\ncurl & wait\n',
    },
    {
      ...{ name: 'three', group: 'ship', basis: 'contract', result: 'skipped', durationMs: 0 },
      reason: 'no ships',
    },
    {
      ...{ name: 'four', group: 'later', basis: 'contract', result: 'skipped', durationMs: 0 },
      ...{ reason: 'the time was over', isUnfinished: true },
    },
  ],
};

test('The text report has a line for each check, with its failure below', () => {
  expect(asText(report)).toBe(`✓ one
✗ two *
    it is 404 {"a":<\u0000\ud800>}
    curl "$BASE"
    curl & wait
– three: left out, no ships
– four: left out, the time was over
* the contract is silent about it, and Store Orders promises it
1 passed, 1 failed, 2 left out (1 because the time was over); seed 3, 1.5 s
`);
});

test('The text report says how often the server limited the rate of requests', () => {
  const last = '1 passed, 1 failed, 2 left out (1 because the time was over); seed 3, 1.5 s\n';
  for (const [limited, times] of [
    [1, 'Once'],
    [31, '31 times'],
  ] as const) {
    const text = asText({ ...report, limited });
    expect(text).toContain(`\n${times} an answer was a 429, and was waited for\n${last}`);
  }
});

test('The text report says how often the server was unavailable for a moment', () => {
  const text = asText({ ...report, limited: 2, unavailable: 3 });
  expect(text).toContain(
    '\n2 times an answer was a 429, and was waited for\n3 times an answer was a 503, and was waited for\n1 passed',
  );
});

test('The JUnit report is well-formed XML for any response of a server', () => {
  expect(asJUnit(report)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="4" failures="1" errors="1" skipped="1" time="1.5">
  <testsuite name="store-orders conformance" tests="4" failures="1" errors="1" skipped="1" time="1.5">
    <properties>
      <property name="baseUrl" value="http://127.0.0.1/v1?a&amp;b"/>
      <property name="seed" value="3"/>
    </properties>
    <testcase classname="conformance.list" name="one" time="0.01"/>
    <testcase classname="conformance.cancel" name="two" time="0.02"><failure message="it is 404 {&quot;a&quot;:&lt;\ufffd\ufffd&gt;}">curl &quot;$BASE&quot;&#10;curl &amp; wait&#10;</failure></testcase>
    <testcase classname="conformance.ship" name="three" time="0"><skipped message="no ships"/></testcase>
    <testcase classname="conformance.later" name="four" time="0"><error message="the time was over"/></testcase>
  </testsuite>
</testsuites>
`);
});
