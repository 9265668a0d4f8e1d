import { spawnSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { isNightly } from '../support/nightly.ts';
import { tableOf } from './markdown.ts';

const PAGE = 'docs/adding-an-event.md';

/** Returns the files in the first column of a table of the page. */
function filesIn(head: string): readonly string[] {
  return tableOf(PAGE, head).map(([file = '']) => file);
}

const COMPILED = filesIn('file of the compiler | then');
const SILENT = filesIn('file that still compiles | then');

/** A type of event or command, other than the first, a status, a count or a time by it, or a refusal because of it. */
const KNOWN = new RegExp(
  [
    /\b(?:OrderShipped|OrderCancelled|ShipOrder|CancelOrder|cancelledAt)\b/,
    /'(?:pending|shipped|cancelled)'|\bcancelled:|\bshipped, cancelled\b/,
    /\border_(?:already_shipped|cancelled)\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

test('The page about a new event names every file that knows the types, the statuses or the refusals', () => {
  const knowing = globSync('src/**/*.{ts,tsx}').filter((file) => {
    return KNOWN.test(readFileSync(file, 'utf8'));
  });
  expect(knowing.length).toBeGreaterThan(40);
  const named = [...COMPILED, ...SILENT];
  expect(knowing.filter((file) => !named.includes(file)).toSorted()).toEqual([]);
  expect(new Set(named).size).toBe(named.length);
  for (const file of named) expect(globSync(file), file).toEqual([file]);
});

/** The declarations of a fourth type of event: in the service, in the client and in the kit. */
const DECLARED: readonly (readonly [file: string, before: string, added: string])[] = [
  ['src/domain/order.ts', 'OrderShipped | OrderCancelled', ' | OrderReturned'],
  ['src/domain/order.ts', 'ShipOrder | CancelOrder', ' | ReturnOrder'],
  ['src/domain/order.ts', "{ readonly status: 'pending' }", " | { readonly status: 'returned' }"],
  ['src/domain/order.ts', "  | 'order_already_shipped'", " | 'order_not_shipped'"],
  ['src/client/shapes.ts', "'shipped' | 'cancelled'", " | 'returned'"],
  [
    'src/client/shapes.ts',
    'interface EventData {',
    ' OrderReturned: { readonly orderId: string };',
  ],
  ['test/kit/vocabulary.ts', 'ShipOrder | CancelOrder', ' | ReturnOrder'],
  ['test/kit/vocabulary.ts', 'export type OrderEvent =', ' | OrderReturned'],
  ['test/kit/vocabulary.ts', "  | 'order_already_shipped'", " | 'order_not_shipped'"],
];

const TYPES = `
export interface OrderReturned { readonly type: 'OrderReturned'; readonly orderId: bigint & OrderPlaced['orderId'] }
export interface ReturnOrder { readonly type: 'ReturnOrder'; readonly orderId: OrderReturned['orderId'] }
`;

test.runIf(isNightly)('The page names the files that no longer compile with a new event', () => {
  const folder = temporaryFolder();
  const copied = ['src', 'test', 'tools', 'package.json', ...globSync(['*.ts', 'tsconfig*.json'])];
  for (const each of copied) {
    cpSync(each, join(folder, each), {
      recursive: true,
      filter: (file) => !/node_modules/.test(file),
    });
  }
  for (const each of ['node_modules', 'dist']) symlinkSync(resolve(each), join(folder, each));
  for (const [file, before, added] of DECLARED) {
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8');
    expect(text.split(before), file).toHaveLength(2);
    writeFileSync(path, text.replace(before, before + added));
  }
  for (const file of ['src/domain/order.ts', 'test/kit/vocabulary.ts']) {
    const path = join(folder, file);
    const types = file.startsWith('src') ? TYPES : TYPES.replace(" & OrderPlaced['orderId']", '');
    writeFileSync(path, readFileSync(path, 'utf8') + types);
  }
  const found = ['.', 'tsconfig.console.json'].flatMap((project) => {
    const program = resolve('node_modules/.bin/tsc');
    const options = { cwd: folder, encoding: 'utf8' } as const;
    const { stdout } = spawnSync(program, ['-p', project, '--pretty', 'false'], options);
    return [...stdout.matchAll(/^([^ (]+)\(\d+,\d+\): error/gm)].map(([, file = '']) => file);
  });
  expect([...new Set(found)].sort()).toEqual(COMPILED.toSorted());
});
