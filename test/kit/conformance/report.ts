import type { CheckReport, Report } from './conformance.ts';

const SIGNS = { passed: '✓', failed: '✗', skipped: '–' } as const;

const NOTE = '* the contract is silent about it, and Store Orders promises it';

/** Returns a report for people: one line for each check, with its failure below. */
export function asText(report: Report): string {
  const { checks, passed, failed, skipped, unfinished, seed, durationMs } = report;
  const lines = checks.flatMap(({ name, result, reason, script, basis }) => {
    const line = `${SIGNS[result]} ${name}${basis === 'promise' ? ' *' : ''}`;
    if (result === 'passed') return [line];
    if (result === 'skipped') return [`${line}: left out, ${reason}`];
    return [line, ...indented(reason), ...indented(script)];
  });
  const late = unfinished === 0 ? '' : ` (${unfinished} because the time was over)`;
  const counts = `${passed} passed, ${failed} failed, ${skipped} left out${late}`;
  const seconds = (durationMs / 1_000).toFixed(1);
  const note = checks.some(({ basis }) => basis === 'promise') ? [NOTE] : [];
  const waits = [...waited(report.limited, 'a 429'), ...waited(report.unavailable, 'a 503')];
  return [...lines, ...note, ...waits, `${counts}; seed ${seed}, ${seconds} s`, ''].join('\n');
}

function waited(count: number, answer: string): readonly string[] {
  const times = count === 1 ? 'Once' : `${count} times`;
  return count === 0 ? [] : [`${times} an answer was ${answer}, and was waited for`];
}

function indented(text = ''): readonly string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `    ${line}`);
}

/**
 * Returns a report in JUnit XML (the schema of Apache Ant's junitreport), as build servers read it. A
 * check that the time cut off is an error, because a build with skipped tests is a success.
 */
export function asJUnit(report: Report): string {
  const { checks, failed, skipped, unfinished: errors, durationMs, seed, baseUrl } = report;
  const counts = `tests="${checks.length}" failures="${failed}" errors="${errors}" skipped="${skipped - errors}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts} time="${durationMs / 1_000}">`,
    `  <testsuite name="store-orders conformance" ${counts} time="${durationMs / 1_000}">`,
    '    <properties>',
    `      <property name="baseUrl" value="${escaped(baseUrl)}"/>`,
    `      <property name="seed" value="${seed}"/>`,
    '    </properties>',
    ...checks.map(asTestCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function asTestCase(check: CheckReport): string {
  const { name, group, result, durationMs, reason = '', isUnfinished, script = '' } = check;
  const about = `classname="conformance.${group}" name="${escaped(name)}" time="${durationMs / 1_000}"`;
  if (result === 'passed') return `    <testcase ${about}/>`;
  const inside =
    result === 'skipped'
      ? `<${isUnfinished ? 'error' : 'skipped'} message="${escaped(reason)}"/>`
      : `<failure message="${escaped(reason)}">${escaped(script)}</failure>`;
  return `    <testcase ${about}>${inside}</testcase>`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\t': '&#9;',
};

// Responses may contain anything. Characters that XML 1.0 cannot represent become U+FFFD.
function escaped(text: string): string {
  return (
    text
      .toWellFormed()
      .replaceAll(/[&<>"\n\t]/g, (each) => ESCAPES[each] as string)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is to be replaced
      .replaceAll(/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g, '\ufffd')
  );
}
