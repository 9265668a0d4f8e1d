/** The ways from one order to the one before and the one behind it, by their ids. */
import { useState } from 'preact/hooks';
import { StoreOrdersError } from '../../client/client.ts';
import { moveTo, staying } from '../parts/router.ts';
import { client } from '../parts/session.ts';
import { idBehind } from '../state/ids.ts';

export function Neighbours({ id }: { readonly id: string }) {
  const [said, setSaid] = useState('');
  const go = async (way: 'before' | 'behind') => {
    const isBefore = way === 'before';
    const behind = idBehind(id);
    const query = isBefore ? ({ toId: id, order: 'desc' } as const) : { fromId: behind };
    const isHere = staying();
    const isEnd = !isBefore && behind === undefined;
    try {
      const list = client.list({ ...query, limit: 1 });
      const page = isEnd ? undefined : (await list.pages().next()).value;
      const found = page?.data[0]?.id;
      if (!isHere()) return;
      if (found !== undefined) moveTo({ page: 'order', id: found });
      else setSaid(isBefore ? 'This is the first order.' : 'This is the last order.');
    } catch (error) {
      if (!(error instanceof StoreOrdersError)) throw error;
      if (isHere()) setSaid(error.message);
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
