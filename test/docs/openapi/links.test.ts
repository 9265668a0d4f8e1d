import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { Service } from '../../support/service.ts';

interface Answer {
  readonly links?: Readonly<Record<string, Link>>;
}
interface Link {
  readonly operationId: string;
  readonly parameters: Readonly<Record<string, string>>;
}
interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Answer>>;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}

const VERSIONS = ['v1', 'v2'].map((version) => {
  const document = JSON.parse(readFileSync(`docs/openapi-${version}.json`, 'utf8'));
  const operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  return { version, document, operations };
});

/** The bodies of the operations that need one. */
const BODIES: Readonly<Record<string, object>> = {
  shipOrder: { shipDate: '2026-03-04T09:00:00Z' },
  cancelOrderWithReason: { reason: 'out_of_stock' },
};

describe.each(VERSIONS)('The description of $version', ({ version, document, operations }) => {
  const links = operations.flatMap(({ operation }) =>
    Object.entries(operation.responses).flatMap(([status, answer]) =>
      Object.values(answer.links ?? {}).map((link) => ({ from: operation, status, link })),
    ),
  );

  test('links from placeOrder to every operation on an order', () => {
    const linked = links.filter(({ from }) => from.operationId === 'placeOrder');
    const onOrders = operations.filter(({ path }) => path.startsWith('/store/orders/{orderId}'));
    expect(linked.map(({ link }) => link.operationId).sort()).toEqual(
      onOrders.map(({ operation }) => operation.operationId).sort(),
    );
    expect(linked.length).toBeGreaterThan(2);
  });

  test('links to operations that exist and have the parameters', () => {
    for (const { link } of links) {
      const target = operations.find(({ operation }) => operation.operationId === link.operationId);
      const names = target?.operation.parameters?.map(({ name }) => name);
      for (const name of Object.keys(link.parameters)) expect(names, name).toContain(name);
    }
  });

  test('has links from placeOrder that can be followed', async () => {
    await using service = await Service.start();
    for (const { link } of links.filter(({ from }) => from.operationId === 'placeOrder')) {
      const petId = version === 'v1' ? 7 : '7';
      const placed = await service.send('POST', `/${version}/store/orders`, { petId, quantity: 1 });
      expect(link.parameters).toEqual({ orderId: '$response.body#/id' });
      const { id } = JSON.parse(placed.text);
      const target = operations.find(({ operation }) => operation.operationId === link.operationId);
      const path = `/${version}${target?.path.replace('{orderId}', id)}`;
      const method = target?.method.toUpperCase() ?? '';
      // Only a cancelled order has a receipt.
      if (link.operationId === 'getReceipt') {
        await service.ask('DELETE', `/${version}/store/orders/${id}`);
      }
      const body = BODIES[link.operationId];
      const answer = await (body === undefined
        ? service.ask(method, path)
        : service.send(method, path, body));
      expect(answer.status, link.operationId).toBeLessThan(300);
    }
  });

  test('has examples that their schemas allow', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema(document, version);
    let count = 0;
    for (const { pointer, examples } of mediaIn(document, '')) {
      const isValid = ajv.compile({ $ref: `${version}#${pointer}/schema` });
      for (const [name, { value }] of Object.entries(examples)) {
        count += 1;
        expect(isValid(value), `${pointer} ${name}: ${ajv.errorsText(isValid.errors)}`).toBe(true);
      }
    }
    expect(count).toBeGreaterThan(15);
  });
});

interface Media {
  readonly pointer: string;
  readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
}

/** Returns every place of a document that has both a schema and examples. */
function mediaIn(value: unknown, pointer: string): readonly Media[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('schema' in value && 'examples' in value) {
    return [{ pointer, examples: value.examples as Media['examples'] }];
  }
  return Object.entries(value).flatMap(([key, inner]) => {
    const step = encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
    return mediaIn(inner, `${pointer}/${step}`);
  });
}
