import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { SCOPES } from '../../src/app/api-key.ts';
import { CommandProcessor } from '../../src/app/command-processor.ts';
import { PROPERTIES } from '../../src/app/import/imported-order.ts';
import { OrderList } from '../../src/app/order-list.ts';
import { Projector } from '../../src/app/projector.ts';
import { parseOrderId } from '../../src/domain/order-id.ts';
import { ERRORS } from '../../src/http/api-error.ts';
import { encodePage } from '../../src/http/list-page.ts';
import { ordersV1 } from '../../src/http/orders-v1.ts';
import { readConfig } from '../../src/infra/config.ts';
import { encodeData } from '../../src/infra/event-codec.ts';
import { openMemoryStore } from '../../src/infra/memory/memory-store.ts';
import { RULES } from '../kit/linearizability/violation.ts';
import { blocksOf, tableOf } from './markdown.ts';

const ENDPOINTS = 'operation | request | what it does | scope | stability';

test('the table of endpoints is the list of operations', async () => {
  const store = await openMemoryStore();
  const list = new OrderList(encodePage);
  const operations = ordersV1({
    storeId: store.id,
    commands: new CommandProcessor(store.writer, () => undefined),
    list,
    projector: new Projector(store.log, list),
  });
  const offered = operations.map(({ operationId, method, path, scope }) => [
    operationId,
    `${method.toUpperCase()} /v1${path.replaceAll(/:(\w+)/g, '{$1}')}`,
    scope,
  ]);
  const described = tableOf('README.md', ENDPOINTS).map(([id, request, , scope]) => [
    id,
    request,
    scope,
  ]);
  expect(described.toSorted()).toEqual(offered.toSorted());
});

test("the contract's two operations are stable, and all that was added is beta", () => {
  for (const [id, , , , stability] of tableOf('README.md', ENDPOINTS)) {
    const isContract = id === 'listOrders' || id === 'cancelOrder';
    expect(stability, id).toBe(isContract ? 'stable' : 'beta');
  }
});

test('the API changelog names the same operations with the same stability', () => {
  const told = tableOf('docs/api-changelog.md', 'operation | request | stability');
  const described = tableOf('README.md', ENDPOINTS).map(([id, request, , , stability]) => [
    id,
    request,
    stability,
  ]);
  expect(told.toSorted()).toEqual(described.toSorted());
});

test('the table of errors is the list of codes, each with its status', () => {
  const described = tableOf('README.md', 'code | status | what to do');
  expect(described.map(([code, status]) => [code, Number(status)])).toEqual(
    Object.entries(ERRORS).map(([code, [status]]) => [code, status]),
  );
});

test('the table of variables is .env.example, and both tell the real defaults', () => {
  const described = tableOf('docs/operations.md', 'variable | default | what it is');
  const example = parseEnv(readFileSync('.env.example', 'utf8'));
  const defaults = described.map(([name, value]) => [name, value === 'none' ? '' : value]);
  expect(Object.fromEntries(defaults)).toEqual(example);
  expect(readConfig(example)).toEqual(readConfig({}));
});

test('the table of scopes is the list of scopes', () => {
  const described = tableOf('docs/operations.md', 'scope | allows');
  expect(described.map(([scope]) => scope)).toEqual([...SCOPES]);
});

test("the table of an imported order's properties is the list of properties", () => {
  const described = tableOf('docs/operations.md', 'property | what it must be');
  expect(described.map(([name]) => name).toSorted()).toEqual([...PROPERTIES].sort());
});

test('the decision about dependencies names each of them, and no other', () => {
  const page = 'docs/adr/0005-dependencies.md';
  const { dependencies, optionalDependencies, devDependencies } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  ) as Record<string, Record<string, string>>;
  const named = (head: string) => tableOf(page, head).flatMap(([names = '']) => names.split(', '));
  expect(named('package | what for | its home').sort()).toEqual(
    Object.keys({ ...dependencies, ...optionalDependencies }).sort(),
  );
  expect(named('package | what for').sort()).toEqual(Object.keys(devDependencies ?? {}).sort());
});

test('the stored text in the walkthrough is what the codec writes', () => {
  const orderId = parseOrderId('42');
  if (orderId === undefined) throw new Error('42 is an id');
  const [stored] = blocksOf('docs/walkthrough.md').filter(({ language }) => language === 'json');
  expect(stored?.text.trim()).toBe(encodeData({ type: 'OrderCancelled', orderId }));
});

test('the table of what a history must be is the list of rules', () => {
  const described = tableOf('docs/linearizability.md', 'rule | what it means');
  expect(described).toEqual(Object.entries(RULES).map(([rule, meaning]) => [rule, meaning]));
});
