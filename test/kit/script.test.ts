import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { oneService } from '../support/one-service.ts';
import type { Program } from './program.ts';
import { asScript } from './script.ts';
import { SHELL_FUNCTIONS } from './targets/trace.ts';

const { service } = await oneService();

const [DATE, OTHER] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'];
const program: Program = {
  ids: [1n, 9223372036854775807n],
  steps: [
    { do: 'place', order: 0, petId: 9007199254740993n, quantity: 2, shipDate: DATE },
    { do: 'get', order: 0 },
    { do: 'cancel', order: 1 },
    { do: 'ship', order: 0, shipDate: OTHER },
    { do: 'place', order: 0, petId: 1n, quantity: 1 },
    { do: 'cancel', order: 0 },
    { do: 'list' },
  ],
};

test('The script of a counterexample does the same as the program', async () => {
  const found = { seed: 42, path: '3:1', rule: 'a rule', detail: 'one\ntwo' };
  const script = asScript([program], found);
  expect(script).toContain('# Broken: a rule\n# one\n# two\n# Seed 42, path 3:1.\n');
  const env = { ...process.env, BASE: `${service.address}/v1`, KEY: service.key };
  const { stdout } = await promisify(execFile)('sh', ['-c', script], { env });
  const order = '{"id":1,"petId":9007199254740993,"quantity":2';
  expect(stdout.trimEnd().split('\n')).toEqual([
    `${order},"shipDate":"${DATE}","complete":false}`,
    '{"code":"order_not_found","message":"There is no order with this id.","status":404}404',
    `${order},"shipDate":"${OTHER}","complete":true}`,
    '{"code":"order_already_shipped","message":"The order has already shipped.","status":409}409',
    `[${order},"shipDate":"${OTHER}","complete":true}]`,
  ]);
});

test('The script states the expected result of every step', () => {
  const script = asScript([program], { seed: 1, path: '0', rule: 'a rule', detail: 'detail' });
  expect(script.match(/^# (?:place|get|cancel|ship|list).*$/gm)).toEqual([
    '# place A: accepted, as order 1 where the client chooses',
    '# get A: found',
    '# cancel B: order_not_found',
    '# ship A: accepted',
    '# place A again, where the client chooses ids',
    '# cancel A: order_already_shipped',
    '# list',
  ]);
});

test('A script ends with the list, because every run does', () => {
  const found = { seed: 1, path: '0', rule: 'a rule', detail: 'detail' };
  const script = asScript([{ ...program, steps: program.steps.slice(0, 1) }], found);
  expect(script).toMatch(/# the list at the end\norders "\$BASE\/store\/orders"\n$/);
});

test('The script of concurrent programs runs them at once', async () => {
  const found = { seed: 1, path: '0', rule: 'a rule', detail: 'detail' };
  const one: Program = {
    ids: [1n],
    steps: [
      { do: 'place', order: 0, petId: 77n, quantity: 1 },
      { do: 'cancel', order: 0 },
    ],
  };
  const env = { ...process.env, BASE: `${service.address}/v1`, KEY: service.key };
  const { stdout } = await promisify(execFile)('sh', ['-c', asScript([one, one], found)], { env });
  expect(stdout.match(/^204$/gm)).toHaveLength(2);
  expect(stdout.match(/"petId":77/g)).toHaveLength(2);
});

test.each([
  '{"id":17,"petId":7}',
  '{"petId":7,"id":17}',
  '{"id" :\t17 ,\n  "pet": {"id": 7, "of": [{"id": 8}]}\n}',
  '{"pets": [{"id": 7}, {"of": {"id": 8}}], "orderid": 9, "id": 17}',
])('a script reads the id of a new order however it is written: %j', async (json) => {
  const answering = 'orders() { printf "%s\\n" "$JSON"; }';
  const lines = [...SHELL_FUNCTIONS, answering, "placed '{}'"].join('\n');
  const env = { ...process.env, JSON: json };
  const { stdout } = await promisify(execFile)('sh', ['-c', lines], { env });
  expect(stdout.trim()).toBe('17');
});
