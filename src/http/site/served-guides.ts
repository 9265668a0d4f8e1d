/** Serves the guides below `/guides`, and the files that they link to. */
import type { Express, Request } from 'express';
import { type FixedAnswer, fixedAnswer, lazily } from '../answers/fixed-answer.ts';
import { serveFixed } from '../routing.ts';
import { pageHeaders } from './page-headers.ts';

const HTML = 'text/html; charset=utf-8';
const JSON_UTF_8 = 'application/json; charset=utf-8';

/** The types of files by the ends of their names; any other file is plain text. */
const TYPES: readonly (readonly [end: string, contentType: string])[] = [
  ['.json', JSON_UTF_8],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
];
const TEXT = 'text/plain; charset=utf-8';

/** Nothing is read before the first request. Each page is rendered and compressed at its first one. */
export function serveGuides(app: Express): void {
  const loaded = lazily(async () => {
    const [{ Guides }, { guidePage, searchIndex }] = await Promise.all([
      import('./guides.ts'),
      import('./guide-page.ts'),
    ]);
    return { guides: await Guides.read(), guidePage, searchIndex };
  });
  const search = lazily(async () => {
    const { guides, searchIndex } = await loaded();
    return fixedAnswer(JSON_UTF_8, await searchIndex(guides));
  });
  serveFixed(app, '/guides/search.json', search);

  const made = new Map<string, () => Promise<FixedAnswer>>();
  const answer = async (req: Request) => {
    const address = req.path.slice(1);
    const { guides, guidePage } = await loaded();
    const file = guides.fileAt(address);
    if (file === undefined) return undefined;
    const make = made.get(address) ?? lazily(() => answerOf(file));
    made.set(address, make);
    return make();
    async function answerOf(file: string) {
      if (file.endsWith('.md')) return fixedAnswer(HTML, await guidePage(guides, file));
      const [, contentType = TEXT] = TYPES.find(([end]) => file.endsWith(end)) ?? [];
      return fixedAnswer(contentType, await guides.readFile(file));
    }
  };
  serveFixed(app, /^\/guides(?:\/[\w./-]+)?$/, answer, pageHeaders());
}
