/** Serves the guides below `/guides`, and the files that they link to. */
import type { Express, Request } from 'express';
import { type FixedAnswer, fixedAnswer, kindOf, lazily } from '../answers/fixed-answer.ts';
import { serveFixed } from '../routing.ts';
import { pageHeaders } from './page-headers.ts';

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
    return fixedAnswer('json', await searchIndex(guides));
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
      if (file.endsWith('.md')) return fixedAnswer('html', await guidePage(guides, file));
      return fixedAnswer(kindOf(file), await guides.readFile(file));
    }
  };
  serveFixed(app, /^\/guides(?:\/[\w./-]+)?$/, answer, pageHeaders());
}
