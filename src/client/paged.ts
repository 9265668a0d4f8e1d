/** A list that comes in pages. */

/** The most items on a page of the API. */
export const MAX_PAGE_ITEMS = 1_000;

/** Its items, one by one, or page by page. Each loop starts a new walk. */
export class Paged<
  Item,
  Page extends { readonly data: readonly Item[]; readonly next: string | null },
> implements AsyncIterable<Item>
{
  readonly #pageBehind: (before: Page | undefined) => Promise<Page>;

  /** @param pageBehind Requests the page behind another one, or the first. */
  constructor(pageBehind: (before: Page | undefined) => Promise<Page>) {
    this.#pageBehind = pageBehind;
  }

  /** Returns the pages. A page is requested when the one before has been handled. */
  async *pages(): AsyncGenerator<Page, void, void> {
    for (let page: Page | undefined; page?.next !== null; yield page) {
      page = await this.#pageBehind(page);
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, void> {
    for await (const { data } of this.pages()) yield* data;
  }
}
