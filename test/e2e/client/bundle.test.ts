import { execFileSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';

const MAX_BYTES = 8 * 1024;

const PROGRAM = `
import { type ClientOptions, type ErrorCode, type Order, StoreOrders, StoreOrdersError } from 'store-orders/client';
import { verifyReceipt } from 'store-orders/client/receipt-verifier';

const store = new StoreOrders({ url: 'http://localhost:3000', key: 'key' });

export async function cancelAll(): Promise<readonly Order[]> {
  const cancelled: Order[] = [];
  for await (const order of store.list({ status: 'pending', petId: 7n })) {
    await store.cancel(order.id).catch((error: unknown) => {
      if (error instanceof StoreOrdersError && !isOver(error.code)) throw error;
    });
    cancelled.push(order);
  }
  return cancelled;
}

function isOver(code: ErrorCode): boolean {
  switch (code) {
    case 'order_already_shipped':
      return true;
    default:
      return false;
  }
}

// Every option may be given as undefined, which is as if it were absent.
const none: { [Name in keyof Required<ClientOptions>]: undefined } = {
  url: undefined, key: undefined, fetch: undefined, signal: undefined, timeoutMs: undefined,
  attemptTimeoutMs: undefined, retries: undefined, onRequest: undefined, onResponse: undefined, onRetry: undefined,
};
new StoreOrders({ ...none, url: 'http://localhost:3000', key: 'key' });
const verdict = await store.receipt('1').verify('key', verifyReceipt);
if (verdict.ok) console.log(verdict.value.position);
// @ts-expect-error: an id is a bigint or a string, never a number.
await store.get(7);
// @ts-expect-error: there is no such status.
store.list({ status: 'lost' });
for await (const event of store.events.follow({ type: 'OrderShipped' })) {
  const date: string = event.data.shipDate;
  // @ts-expect-error: the data of this type has no petId.
  console.log(date, event.data.petId);
}
`;

describe('The published client', () => {
  it(`has at most ${MAX_BYTES} bytes, minified and compressed, and imports nothing`, async () => {
    const bundle = await rolldown({ input: 'dist/client/client.js', platform: 'browser' });
    const { output } = await bundle.generate({ format: 'es', minify: true });
    const [client, ...lazy] = output;
    const size = gzipSync(client.code).length;
    console.log(`the client has ${size} bytes`);
    expect(size).toBeLessThanOrEqual(MAX_BYTES);
    expect(client.imports).toEqual([]);
    // The verifier of receipts is loaded when it is used first.
    expect(client.dynamicImports).toEqual(lazy.map(({ fileName }) => fileName));
    expect(lazy).toHaveLength(1);
  });

  it('is one file with its verifier of receipts, for a program that imports that', async () => {
    const input = join(temporaryFolder(), 'program.js');
    const lines = ['client', 'receipt-verifier'].map((name) => {
      return `export * from ${JSON.stringify(resolve(`dist/client/${name}.js`))};`;
    });
    writeFileSync(input, lines.join('\n'));
    const bundle = await rolldown({ input, platform: 'browser' });
    const { output } = await bundle.generate({ format: 'es' });
    expect(output).toHaveLength(1);
    expect(output[0].exports).toStrictEqual(['StoreOrders', 'StoreOrdersError', 'verifyReceipt']);
  });

  it.each([
    ['a browser', ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'], []],
    ['Node.js', ['es2024', 'esnext.disposable'], ['node']],
  ])('has types that compile under strict options for %s', (_, lib, types) => {
    const folder = temporaryFolder();
    const home = join(folder, 'node_modules/store-orders');
    cpSync('package.json', join(home, 'package.json'));
    cpSync('dist/client', join(home, 'dist/client'), { recursive: true });
    writeFileSync(join(folder, 'program.ts'), PROGRAM);
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    const compilerOptions = {
      ...{ strict: true, noEmit: true, module: 'nodenext', target: 'es2023', skipLibCheck: false },
      ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, lib, types },
      typeRoots: [resolve('node_modules/@types')],
    };
    const project = { compilerOptions, files: ['program.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
    const compiler = resolve('node_modules/typescript/bin/tsc');
    const compile = () => {
      return execFileSync(process.execPath, [compiler, '-p', '.'], {
        cwd: folder,
        encoding: 'utf8',
      });
    };
    expect(compile()).toBe('');
  });
});
