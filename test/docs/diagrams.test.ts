import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseInstant } from '../../src/domain/instant.ts';
import { type OrderCommand, type OrderState, order } from '../../src/domain/order.ts';
import { type PetId, parseOrderId } from '../../src/domain/order-id.ts';
import { drawingOf } from '../../src/http/site/markdown.ts';
import { draw, drawingPage } from '../../tools/diagrams.ts';
import { ROOMS } from '../../tools/layers.ts';
import { CHROMIUM, launchChromium, photograph, WITHOUT_CHROMIUM } from '../support/chromium.ts';
import { blocksOf, PAGES } from './markdown.ts';

/** Every mermaid block of the documentation, by the page and its number there. */
const DIAGRAMS = PAGES.flatMap((page) => {
  const blocks = blocksOf(page).filter(({ language }) => language === 'mermaid');
  return blocks.map(({ text }, index) => ({ name: `${page}, diagram ${index + 1}`, page, text }));
});

/** Kinds that `docs/architecture.md` promises. */
const KINDS = ['flowchart', 'stateDiagram-v2', 'sequenceDiagram'];

if (CHROMIUM === undefined) console.warn(WITHOUT_CHROMIUM);

test('the documentation has diagrams of every kind that it promises', () => {
  const drawn = DIAGRAMS.map(({ text }) => text.trim().split(/\s/)[0]);
  expect([...new Set(drawn)].sort()).toEqual(KINDS.toSorted());
});

test('each diagram has a drawing of its current text: npm run diagrams writes them', () => {
  const drawings = globSync('docs/diagrams/*').map((file) => file.slice('docs/'.length));
  expect(drawings.sort()).toEqual(DIAGRAMS.map(({ text }) => drawingOf(text)).sort());
});

describe.skipIf(CHROMIUM === undefined)('in a browser', () => {
  let browser: Browser;
  let page: Page;
  /** Shows one drawing after the other: a page for each would cost more than the drawing. */
  let shown: Page;

  beforeAll(async () => {
    browser = await launchChromium();
    page = await drawingPage(browser);
    shown = await browser.newPage();
  });
  afterAll(() => browser?.close());

  test.each(DIAGRAMS)('$name renders', async ({ name, text }) => {
    await shown.setContent(await draw(page, text));
    const svg = shown.locator('svg');
    const { width, height } = (await svg.boundingBox()) ?? { width: 0, height: 0 };
    expect(Math.min(width, height)).toBeGreaterThan(100);
    const drawn = await svg.textContent();
    const labels = [...text.matchAll(/\["([^"<]+)/g)].map(([, label = '']) => label);
    const kept = readFileSync(join('docs', drawingOf(text)), 'utf8').replaceAll(/<[^>]*>/g, '');
    for (const label of labels) {
      expect(inOneLine(drawn ?? '')).toContain(inOneLine(label));
      expect(inOneLine(kept)).toContain(inOneLine(label));
    }
    await photograph(shown, `${name.replaceAll(/\W+/g, '-')}.png`, { fullPage: true });
  });

  test.each([
    ['an arrow without an end', 'flowchart LR\n  a -->\n'],
    ['a box that is not closed', 'flowchart LR\n  a["text --> b\n'],
    ['an unknown kind', 'flowchrat LR\n  a --> b\n'],
    ['a message without its text', 'sequenceDiagram\n  A->>B\n'],
    ['a broken state', 'stateDiagram-v2\n  [*] --> : placed\n'],
  ])('refuses %s', async (_, text) => {
    await expect(draw(page, text)).rejects.toThrow();
  });
});

/** Returns a text without white space: a label is broken into lines where it is too long. */
function inOneLine(text: string): string {
  return text.replaceAll(/\s/g, '');
}

describe('what the diagrams say', () => {
  test.each(DIAGRAMS)('$name names folders and files that exist', ({ text }) => {
    for (const [path] of text.matchAll(/\b(?:src|test)\/[\w./-]*\w/g)) {
      expect(existsSync(path), path).toBe(true);
    }
  });

  test('the architecture shows every room of src with its name', () => {
    const [layers] = DIAGRAMS.filter(({ page }) => page === 'docs/architecture.md');
    const shown = [...(layers?.text ?? '').matchAll(/\bsrc\/[\w./-]*\w/g)].map(([path]) => path);
    const folders = globSync('src/**/*.ts').map((file) => dirname(file).split('/'));
    const rooms = folders.filter(({ length }) => length > 1).map((path) => path.slice(0, 3));
    for (const room of rooms) expect(shown).toContain(room.join('/'));
    expect(shown.length).toBeGreaterThan(20);
  });

  test('the arrows between the rooms of the application are imports that the linter permits', () => {
    const text = DIAGRAMS.find(({ page }) => page === 'docs/architecture.md')?.text ?? '';
    const rooms = new Map<string, string[]>();
    const open: string[] = [];
    for (const line of text.split('\n')) {
      const [, group] = line.match(/^ *subgraph (\w+)/) ?? [];
      const [, node, path] = line.match(/^ *(\w+)\["src\/(app\/\w+|domain)\b/) ?? [];
      if (group !== undefined) open.push(group);
      if (line.trim() === 'end') open.pop();
      if (path === undefined || node === undefined) continue;
      for (const name of [node, ...open]) rooms.set(name, [...(rooms.get(name) ?? []), path]);
    }
    const arrows = [...text.matchAll(/^ {2}(\w+) --> (\w+)$/gm)].flatMap(([, from = '', to = '']) =>
      (rooms.get(from) ?? []).flatMap((importing) =>
        (rooms.get(to) ?? []).map((imported) => [importing, imported] as const),
      ),
    );
    expect(arrows.length).toBeGreaterThan(10);
    // A folder that has rooms in it is drawn as one.
    const arrowsOf = (room: string) =>
      Object.entries(ROOMS).flatMap(([name, targets]) =>
        name === room || name.startsWith(`${room}/`) ? targets : [],
      );
    for (const [importing, imported] of arrows)
      expect(arrowsOf(importing), importing).toContain(imported);
  });

  test("the order's states change in the diagram as they do in the domain", () => {
    const diagrams = DIAGRAMS.filter(({ page }) => page === 'docs/architecture.md');
    const diagram = diagrams.find(({ text }) => text.startsWith('stateDiagram'))?.text ?? '';
    const lines = diagram.matchAll(/^ {2}(\S+) --> (\S+) ?: (\w+)(.*)$/gm);
    const drawn = [...lines].map(([, from = '', to = '', command, more = '']) => {
      const state = from === '[*]' ? 'none' : from;
      const event = more.match(/Order\w+/)?.[0] ?? 'no event';
      return `${state} ${command}: ${event}, ${to}`;
    });
    expect(drawn.toSorted()).toEqual(accepted().sort());
  });
});

/** Returns each transition that the domain accepts: state, command, event and next state. */
function accepted(): string[] {
  const orderId = parseOrderId('1');
  const petId = 1n as PetId;
  const shipDate = parseInstant('2026-01-01T00:00:00.000Z');
  if (orderId === undefined || shipDate === undefined) throw new Error();
  const commands: readonly OrderCommand[] = [
    { type: 'PlaceOrder', orderId, petId, quantity: 1 },
    { type: 'ShipOrder', orderId, shipDate },
    { type: 'CancelOrder', orderId },
  ];
  const states: readonly OrderState[] = [
    { status: 'none' },
    { status: 'pending' },
    { status: 'shipped', shipDate },
    { status: 'cancelled' },
  ];
  return states.flatMap((state) =>
    commands.flatMap((command) => {
      const decision = order.decide(command, state);
      if (decision.kind === 'rejected') return [];
      const next = decision.events.reduce(order.evolve, state);
      const event = decision.events[0]?.type ?? 'no event';
      return [`${state.status} ${command.type}: ${event}, ${next.status}`];
    }),
  );
}
