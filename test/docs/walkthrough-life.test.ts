import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Service } from '../support/service.ts';
import { calledSince, readPage, stepsOf, tracing } from '../support/walkthrough.ts';

const PAGE = 'docs/walkthrough-life.md';
const ORDERS = '/v1/store/orders';

/** Returns the steps of a section, each with the functions that it names. */
function stepsIn(section: string) {
  const [, text = ''] = readPage(PAGE).split(new RegExp(`^## ${section}$`, 'm'));
  const [body = ''] = text.split(/^## /m);
  const steps = stepsOf(body);
  const numbers = steps.flatMap(({ number }) => number ?? []);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  expect(numbers.length).toBeGreaterThan(4);
  return steps;
}

/** Expects that every function which a section names was called, and of every file at least one. */
function expectCalled(section: string, calls: ReadonlySet<string>): void {
  const called = [...calls].map((call) => call.split(' ').slice(1, 3).join(' '));
  for (const { file, functions } of stepsIn(section)) {
    const names = called.filter((call) => call.startsWith(`${file} `));
    expect(names, file).not.toEqual([]);
    for (const name of functions) expect(names).toContain(`${file} ${name}`);
  }
}

test('a start, a list and a stop call the functions that the page names', async () => {
  const { folder, env } = tracing();
  await using service = await Service.start(env);
  expectCalled('The start', await calledSince(folder));
  await service.send('POST', ORDERS, { petId: 1, quantity: 1 });
  expect((await service.ask('GET', ORDERS)).status).toBe(200);
  expectCalled('One list', await calledSince(folder));
  expect(await service.program.end('SIGTERM')).toBe(0);
  const files = readdirSync(folder).filter((name) => name.endsWith('.exit.json'));
  const atEnd = files.flatMap((name) =>
    (JSON.parse(readFileSync(join(folder, name), 'utf8')) as string[]).map(
      (call) => `${name} ${call}`,
    ),
  );
  expectCalled('The stop', new Set(atEnd));
});
