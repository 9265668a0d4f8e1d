/** The ways from one order to the one before and the one behind it, by their ids. */
import { useState } from 'preact/hooks';
import { StoreOrdersError } from '../../client/client.ts';
import { moveTo } from '../parts/router.ts';
import { client } from '../parts/session.ts';
import { idsAround } from '../state/routes.ts';

export function Neighbours({ id }: { readonly id: string }) {
  const [said, setSaid] = useState('');
  const go = async (way: 'before' | 'behind') => {
    const { below, above } = idsAround(id);
    const isBefore = way === 'before';
    // The API finds orders from an id upwards; downwards only those whose ids it is given.
    const query = isBefore ? ({ id: below, order: 'desc' } as const) : { fromId: above };
    const isEnd = isBefore ? below.length === 0 : above === undefined;
    try {
      const list = client.list({ ...query, limit: 1 });
      const page = isEnd ? undefined : (await list.pages().next()).value;
      const found = page?.data[0]?.id;
      if (found !== undefined) moveTo({ page: 'order', id: found });
      else setSaid(isBefore ? 'There is none among the 100 ids below.' : 'This is the last order.');
    } catch (error) {
      if (!(error instanceof StoreOrdersError)) throw error;
      setSaid(error.message);
    }
  };
  return (
    <>
      <button type="button" data-shortcut="[" onClick={() => go('before')}>
        Previous order
      </button>
      <button type="button" data-shortcut="]" onClick={() => go('behind')}>
        Next order
      </button>
      <span class="quiet" role="status">
        {said}
      </span>
    </>
  );
}
