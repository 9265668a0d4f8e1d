import { describe, expect, test } from 'vitest';
import { StoreOrders } from '../../../src/client/client.ts';

/** Lists of events behind proxies that change or remove the header `Link`. */

const LOG = Array.from({ length: 5 }, (_, at) => {
  const position = at + 1;
  return { id: `${position}`, source: '/a', type: 'OrderPlaced', position, data: {} };
});

/** Reads a log of five events in pages of two, with the header as a proxy makes it. */
async function positionsBy(proxy: (link: string | undefined) => string | undefined) {
  const asked: string[] = [];
  const fetch = async (input: unknown) => {
    const { search, searchParams } = new URL(String(input));
    asked.push(search);
    const after = Number(searchParams.get('after') ?? 0);
    const page = LOG.slice(after, after + 2);
    const next = after + 2 < LOG.length ? `limit=2&after=${after + 2}` : undefined;
    const link = proxy(next);
    return Response.json(page, { headers: link === undefined ? {} : { Link: link } });
  };
  const store = new StoreOrders({ url: 'http://127.0.0.1', key: 'key', fetch, retries: 0 });
  const events = await Array.fromAsync(store.events.list({ limit: 2 }));
  return { positions: events.map(({ position }) => position), asked };
}

describe('All events are listed', () => {
  test.each([
    ['as the service sends it', (next: string) => `<?${next}>; rel="next"`],
    ['behind another', (next: string) => `</a.css>; rel=preload; as=style, <?${next}>; rel="next"`],
    ['before another', (next: string) => `<?${next}>; rel="next", </a.css>; rel=preload`],
    ['absolute', (next: string) => `<http://orders.example/v2/store/events?${next}>; rel="next"`],
    ['by its path', (next: string) => `</v2/store/events?${next}>;rel=next`],
    ['of two relations', (next: string) => `<?${next}> ; title="a, b; rel=x" ; REL="last Next"`],
    [
      'behind a title like it',
      (next: string) => `<?after=9>; title="; rel=next", <?${next}>; rel=next`,
    ],
    [
      'with a second rel',
      (next: string) => `<?after=9>; rel=prev; rel=next, <?${next}>; rel="next"`,
    ],
    [
      'behind an address that is none',
      (next: string) => `<http://[>; rel=next, <?${next}>; rel=next`,
    ],
    ['without a position', () => '<?limit=2>; rel="next"'],
    ['without a relation', (next: string) => `<?${next}>`],
    ['no link at all', () => 'next'],
    ['removed', () => undefined],
  ])('with a link %s', async (_, proxy) => {
    const { positions, asked } = await positionsBy((next) => next && proxy(next));
    expect(positions).toEqual([1, 2, 3, 4, 5]);
    expect(asked).toEqual(['', 2, 4, 5].map((after) => `?limit=2${after && `&after=${after}`}`));
  });
});
