/** A list that comes in pages. */

/** The most items on a page of the API. */
export const MAX_PAGE_ITEMS = 1_000;

/** Its items, one by one, or page by page. Each loop starts a new walk. */
export class Paged<
  Item,
  Page extends { readonly data: readonly Item[]; readonly next: string | null },
> implements AsyncIterable<Item>
{
  readonly #pageAfter: (cursor: string | undefined) => Promise<Page>;

  constructor(pageAfter: (cursor: string | undefined) => Promise<Page>) {
    this.#pageAfter = pageAfter;
  }

  /** Returns the pages. A page is requested when the one before has been handled. */
  async *pages(): AsyncGenerator<Page, void, void> {
    for (let cursor: string | undefined; ; ) {
      const page = await this.#pageAfter(cursor);
      yield page;
      if (page.next === null) return;
      cursor = page.next;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, void> {
    for await (const { data } of this.pages()) yield* data;
  }
}
