import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { cloudEventOf } from '../../src/app/audit/proofs/cloud-event.ts';
import { PROPERTIES } from '../../src/app/import/imported-order.ts';
import { IMPAIRMENTS } from '../../src/app/ports/impairment.ts';
import { SCOPES } from '../../src/app/ports/key-store.ts';
import { EXIT_CODES } from '../../src/cli/shared/exit-codes.ts';
import { parseOrderId } from '../../src/domain/order-id.ts';
import { ERRORS } from '../../src/http/api-error.ts';
import { REASONS } from '../../src/http/health.ts';
import { V1 } from '../../src/http/operations/v1.ts';
import { V2 } from '../../src/http/operations/v2.ts';
import { encodeData } from '../../src/infra/events/codec.ts';
import { readConfig } from '../../src/infra/settings/config.ts';
import { RULES } from '../kit/linearizability/violation.ts';
import { Place } from '../support/command-line.ts';
import { TRACEPARENT } from '../support/events.ts';
import { blocksOf, tableOf } from './markdown.ts';

const ENDPOINTS = 'operation | request | what it does | scope | stability';

const OFFERED = [
  { base: '/v1', operations: V1 },
  { base: '/v2', operations: V2 },
].flatMap(({ base, operations }) => {
  return operations.map((operation) => {
    const {
      operationId,
      method,
      path,
      scope = 'any',
      stability = 'stable',
      deprecation,
    } = operation;
    const request = `${method.toUpperCase()} ${base}${path.replaceAll(/\/:(\w+)/g, '/{$1}')}`;
    const state = deprecation === undefined ? stability : 'deprecated';
    return { operationId, request, scope, state, deprecation };
  });
});

test('The table of operations lists exactly the operations of the API', () => {
  const described = tableOf('docs/api.md', ENDPOINTS).map(([id, request, , scope, state]) => [
    id,
    request,
    scope,
    state,
  ]);
  expect(described).toEqual(
    OFFERED.map(({ operationId, request, scope, state }) => [operationId, request, scope, state]),
  );
});

test("The contract's two operations are stable, and each other one has its stability", () => {
  const states = OFFERED.filter(({ request }) => request.includes(' /v1/')).map((operation) => [
    operation.operationId,
    operation.state,
  ]);
  expect(Object.fromEntries(states)).toEqual({
    listOrders: 'stable',
    cancelOrder: 'stable',
    placeOrder: 'beta',
    getOrder: 'beta',
    shipOrder: 'beta',
    getPet: 'deprecated',
    listOrderEvents: 'experimental',
    listEvents: 'experimental',
    getCheckpoint: 'experimental',
    getEpochs: 'experimental',
    getInclusionProof: 'experimental',
    getConsistencyProof: 'experimental',
    getReceipt: 'experimental',
    getEventReceipt: 'experimental',
  });
});

test('The table of reasons lists exactly the reasons why the service is not ready', () => {
  const head = 'reason | the service … | meanwhile | what to do';
  const said = tableOf('docs/operations/monitoring.md', head).map(([reason, says, meanwhile]) => {
    return [reason, says, meanwhile?.replace(/^(requests|commands|nothing).*/, '$1')];
  });
  expect(said.map(([reason]) => reason)).toEqual([...new Set(REASONS)]);
  for (const [name, { says, refuses }] of Object.entries(IMPAIRMENTS)) {
    expect(said).toContainEqual([name, says, refuses]);
  }
});

test('The API changelog lists the same operations with the same stability', () => {
  const told = tableOf('docs/api-changelog.md', 'operation | request | stability');
  expect(told.toSorted()).toEqual(
    OFFERED.map(({ operationId, request, state }) => [operationId, request, state]).toSorted(),
  );
});

test('The API changelog lists deprecated operations with their dates and replacements', () => {
  const head = 'operation | request | since | last day | instead';
  expect(tableOf('docs/api-changelog.md', head)).toEqual(
    OFFERED.flatMap(({ operationId, request, deprecation }) => {
      if (deprecation === undefined) return [];
      return [[operationId, request, deprecation.since, deprecation.sunset, deprecation.instead]];
    }),
  );
});

test('The table of parameters lists exactly the parameters of the list', () => {
  const described = tableOf('docs/api.md', 'parameter | what it lets through').flatMap(
    ([names = '']) => names.split(', ').map((name) => name.replaceAll('`', '')),
  );
  const list = V2.find(({ operationId }) => operationId === 'listOrders');
  expect(described).toEqual(Object.keys(list?.query?.shape ?? {}));
});

test('The table of attributes lists exactly the attributes of an event', () => {
  const described = tableOf('docs/history.md', 'attribute | what it says').flatMap(([names = '']) =>
    names.replaceAll('`', '').split(', '),
  );
  const stored = {
    position: 1,
    version: 1,
    type: 'OrderCancelled',
    schemaVersion: 1,
    data: '{"orderId":"1"}',
    metadata: '{"at":"","by":"","commandId":"","more":1}',
  };
  // The attributes with constant values are not in the table.
  const { specversion, datacontenttype, ...event } = JSON.parse(
    cloudEventOf(stored, 'id', () => 'name', TRACEPARENT),
  );
  expect([specversion, datacontenttype]).toEqual(['1.0', 'application/json']);
  expect(described.toSorted()).toEqual(Object.keys(event).sort());
});

test('The table of errors lists exactly the codes, each with its status', () => {
  const described = tableOf('docs/api.md', 'code | status | what to do');
  expect(described.map(([code, status]) => [code, Number(status)])).toEqual(
    Object.entries(ERRORS).map(([code, [status]]) => [code, status]),
  );
});

test('The table of settings and .env.example have the same variables and the real defaults', () => {
  const described = tableOf('docs/operations/settings.md', 'variable | default | what it is');
  const example = parseEnv(readFileSync('.env.example', 'utf8'));
  const defaults = described.map(([name, value]) => [name, value === 'none' ? '' : value]);
  expect(Object.fromEntries(defaults)).toEqual(example);
  expect(readConfig(example)).toEqual(readConfig({}));
});

test('config shows the defaults of .env.example', async () => {
  const { out } = await new Place().run('config');
  const shown = Object.fromEntries(out.split('\n').map((line) => line.split('\t')));
  expect(shown).toMatchObject(parseEnv(readFileSync('.env.example', 'utf8')));
});

test('The table of scopes lists exactly the scopes', () => {
  const described = tableOf('docs/operations/keys.md', 'scope | allows');
  expect(described.map(([scope]) => scope)).toEqual([...SCOPES]);
});

test("The table of an imported order's properties lists exactly the properties", () => {
  const described = tableOf('docs/operations/data.md', 'property | what it must be');
  expect(described.map(([name]) => name).toSorted()).toEqual([...PROPERTIES].sort());
});

test('The table of exit codes lists exactly the exit codes', () => {
  const described = tableOf('docs/cli.md', 'exit code | meaning');
  expect(described).toEqual(Object.entries(EXIT_CODES));
});

test('The table of options of serve lists exactly its options', async () => {
  const described = tableOf('docs/cli.md', 'option | setting');
  const { out } = await new Place().run('serve', '--help');
  const options = [...out.replaceAll(/\s+/g, ' ').matchAll(/ (--\w+) <.*?; overrides (\w+)/g)];
  expect(described).toEqual(options.map(([, option, setting]) => [option, setting]));
});

test('The decision about dependencies lists exactly the dependencies', () => {
  const page = 'docs/adr/0005-dependencies.md';
  const { dependencies, optionalDependencies, devDependencies } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  ) as Record<string, Record<string, string>>;
  const named = (head: string) => tableOf(page, head).flatMap(([names = '']) => names.split(', '));
  expect(named('package | what for | its home').sort()).toEqual(
    Object.keys({ ...dependencies, ...optionalDependencies }).sort(),
  );
  const toDevelop = [
    ...named('package in `vendor` | what for | its home'),
    ...named('package | what for'),
  ];
  expect(toDevelop.sort()).toEqual(Object.keys(devDependencies ?? {}).sort());
});

test('The stored text in the walkthrough equals what the codec writes', () => {
  const orderId = parseOrderId('42');
  if (orderId === undefined) throw new Error('42 is an id');
  const [stored] = blocksOf('docs/walkthrough.md').filter(({ language }) => language === 'json');
  expect(stored?.text.trim()).toBe(encodeData({ type: 'OrderCancelled', orderId }));
});

test('The table of options of conformance lists exactly the options in its help', async () => {
  const described = tableOf('docs/testing-kit.md', 'option | what it does');
  const { out } = await new Place().run('conformance', '--help');
  const options = [...out.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, name]) => name);
  expect(described.map(([name]) => name)).toEqual(options);
});

test("The table of the kit's exports lists exactly its exports", async () => {
  const described = tableOf('docs/testing-kit.md', 'name | what it is');
  const named = described.flatMap(([names = '']) => names.replaceAll('`', '').split(', '));
  const exported = Object.keys(await import('../kit/index.ts'));
  expect(named.toSorted()).toEqual(exported.sort());
});

test('The table of rules for a history lists exactly the rules of the checker', () => {
  const described = tableOf('docs/linearizability.md', 'rule | what it means');
  expect(described).toEqual(Object.entries(RULES).map(([rule, meaning]) => [rule, meaning]));
});
