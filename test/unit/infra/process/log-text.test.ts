import { stripVTControlCharacters } from 'node:util';
import { expect, it, onTestFinished, vi } from 'vitest';
import { readableText } from '../../../../src/infra/process/log-text.ts';

const time = '2026-11-23T05:15:30.123Z';

function formatted(members: object): string {
  return stripVTControlCharacters(readableText(JSON.stringify(members)));
}

it('A line begins with the time and the level, and ends with its members', () => {
  expect(formatted({ level: 30, time, address: 'http://127.0.0.1:3000', msg: 'ready' })).toBe(
    '05:15:30.123Z info  ready address=http://127.0.0.1:3000\n',
  );
  expect(formatted({ level: 40, msg: 'lines were dropped', lines: 7 })).toBe(
    ' warn  lines were dropped lines=7\n',
  );
});

it('A request reads like a line of an access log', () => {
  const request = { level: 30, time, method: 'GET', status: 200, outcome: 'ok', path: '/docs' };
  const rest = { keyId: 'abc', durationMs: 1.25, msg: 'request' };
  expect(formatted({ ...request, ...rest })).toBe(
    '05:15:30.123Z info  GET /docs 200 in 1.25 ms keyId=abc\n',
  );
  expect(formatted({ ...request, ...rest, status: 404, outcome: 'not_found' })).toBe(
    '05:15:30.123Z info  GET /docs 404 in 1.25 ms outcome=not_found keyId=abc\n',
  );
});

it('An error brings its stack, a line for each call', () => {
  const err = { type: 'Error', message: 'gone', stack: 'Error: gone\n    at a.js:1' };
  expect(formatted({ level: 50, time, err, msg: 'gone' })).toBe(
    '05:15:30.123Z error gone\n  Error: gone\n      at a.js:1\n',
  );
});

it('Nothing that was sent moves the cursor, changes colours or reverses text', () => {
  const path = '/\u001b[2J\u009b31m\r\n\u202eabc\u007f\u2028';
  const line = { level: 30, time, method: 'GET', path, status: 404, durationMs: 1, msg: 'request' };
  const escaped = String.raw`/\u{1b}[2J\u{9b}31m\u{d}\u{a}\u{202e}abc\u{7f}\u{2028}`;
  expect(formatted(line)).toBe(`05:15:30.123Z info  GET ${escaped} 404 in 1 ms\n`);
  const text = readableText(
    JSON.stringify({ level: 30, time, cause: 'a b\u001b[0m\u009b', msg: '\u001b[1m' }),
  );
  expect(stripVTControlCharacters(text)).toBe(
    String.raw`05:15:30.123Z info  \u{1b}[1m cause="a b\u001b[0m\u{9b}"`.concat('\n'),
  );
});

it.each([
  [20, 'debug'],
  [30, 'info '],
  [40, '\u001b[33mwarn \u001b[39m'],
  [50, '\u001b[31merror\u001b[39m'],
  [60, '\u001b[31mfatal\u001b[39m'],
])('Where there are colours, the level %i is %j', (level, shown) => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('NO_COLOR', undefined);
  vi.stubEnv('FORCE_COLOR', '1');
  const line = readableText(JSON.stringify({ level, time, msg: 'm', a: 1 }));
  expect(line).toBe(`\u001b[2m05:15:30.123Z\u001b[22m ${shown} m \u001b[2ma=1\u001b[22m\n`);
});
