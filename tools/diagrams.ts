import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { drawingOf } from '../src/http/site/markdown.ts';

/**
 * Draws the diagrams of the documentation for the guides that the service serves:
 *
 *   npm run diagrams      writes docs/diagrams
 *
 * Pages load no diagram library, which has 3 MB and needs inline styles; they show these drawings. A file
 * is named by the text of its diagram, so a test finds one that is missing, out of date or not used. It
 * takes Chromium: that in CHROMIUM, or Debian's.
 */

const require = createRequire(import.meta.url);
const FOLDER = 'docs/diagrams';

// Black on white and shades of grey: pages invert the drawing in the dark.
const CONFIGURATION = {
  startOnLoad: false,
  securityLevel: 'strict',
  deterministicIds: true,
  theme: 'neutral',
  fontFamily: 'system-ui, sans-serif',
  // Labels as SVG text: HTML within SVG is not shown by every browser in an image.
  htmlLabels: false,
  // Wide enough for the path of a file in one line.
  flowchart: { htmlLabels: false, wrappingWidth: 240 },
};

interface Mermaid {
  initialize(configuration: object): void;
  render(id: string, text: string): Promise<{ readonly svg: string }>;
}

/** Returns a page that can draw. */
export async function drawingPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage();
  await page.addScriptTag({ content: readFileSync(require.resolve('@mermaid-js/tiny'), 'utf8') });
  return page;
}

/** Draws a diagram as an SVG file. Rejects where its text has an error. */
export async function draw(page: Page, text: string): Promise<string> {
  const drawn = await page.evaluate(
    async ([source, configuration]) => {
      const { mermaid, DOMParser, XMLSerializer } = globalThis as unknown as InPage;
      mermaid.initialize(configuration);
      const { svg } = await mermaid.render('diagram', source);
      const element = new DOMParser().parseFromString(svg, 'text/html').querySelector('svg');
      const [, , width = '', height = ''] = element.getAttribute('viewBox').split(' ');
      element.setAttribute('width', width);
      element.setAttribute('height', height);
      element.removeAttribute('style');
      return new XMLSerializer().serializeToString(element);
    },
    [text, CONFIGURATION] as const,
  );
  return `${drawn}\n`;
}

interface InPage {
  readonly mermaid: Mermaid;
  readonly DOMParser: new () => {
    parseFromString(text: string, type: string): { querySelector(selector: string): SvgElement };
  };
  readonly XMLSerializer: new () => { serializeToString(element: SvgElement): string };
}

interface SvgElement {
  getAttribute(name: string): string;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
}

async function drawAll(): Promise<void> {
  const texts = globSync('docs/**/*.md').flatMap((file) => {
    const blocks = readFileSync(file, 'utf8').matchAll(/^```mermaid\n([\s\S]*?)^```$/gm);
    return [...blocks].map(([, text = '']) => text);
  });
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const page = await drawingPage(browser);
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  for (const text of texts) {
    writeFileSync(join(FOLDER, basename(drawingOf(text))), await draw(page, text));
  }
  await browser.close();
}

if (import.meta.main) await drawAll();
