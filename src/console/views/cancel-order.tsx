/** The form that cancels an order: offered where it is possible, and carried out only if it is meant. */
import { useState } from 'preact/hooks';
import { type CancelReason, StoreOrdersError } from '../../client/client.ts';
import { allowsChanges, can, client } from '../parts/session.ts';
import type { Sent } from './order.tsx';

const REASONS: readonly CancelReason[] = [
  'customer_request',
  'out_of_stock',
  'payment_failed',
  'fraud_suspected',
  'duplicate',
  'other',
];

interface CancelProps {
  readonly sent: Sent;
  /** Loads the order again. */
  readonly onFresh: () => void;
}

export function CancelOrder({ sent, onFresh }: CancelProps) {
  const [said, setSaid] = useState('');
  const isPossible = sent.order.status === 'pending' && can('orders:cancel');
  const status = (
    <p class="outcome" role="status">
      {said}
    </p>
  );
  if (!isPossible) return status;
  if (!allowsChanges.value) {
    return (
      <>
        {status}
        <p class="quiet">To cancel this order, press “Allow changes” above first.</p>
      </>
    );
  }
  const cancel = async (reason: CancelReason | undefined) => {
    setSaid('Cancelling …');
    setSaid(await outcomeOf(sent, reason));
    onFresh();
  };
  return (
    <>
      {status}
      <CancelForm id={sent.order.id} onCancel={cancel} />
    </>
  );
}

interface FormProps {
  readonly id: string;
  readonly onCancel: (reason: CancelReason | undefined) => void;
}

function CancelForm({ id, onCancel }: FormProps) {
  const [typed, setTyped] = useState('');
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (typed !== id) return;
    const reason = new FormData(event.currentTarget as HTMLFormElement).get('reason');
    onCancel(REASONS.find((each) => each === reason));
  };
  return (
    <form class="cancel" onSubmit={submit}>
      <h2>Cancel this order</h2>
      <p>This is recorded for good: a cancelled order cannot be placed again under its id.</p>
      <label>
        Type the id of the order
        <input
          name="typed"
          value={typed}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setTyped(event.currentTarget.value.trim())}
        />
      </label>
      <label>
        Reason
        <select name="reason">
          <option value="">none</option>
          {REASONS.map((reason) => (
            <option key={reason}>{reason}</option>
          ))}
        </select>
      </label>
      <button type="submit" class="danger" disabled={typed !== id}>
        Cancel order {id}
      </button>
    </form>
  );
}

/** Cancels an order as it was seen, and returns what came of it, in words. */
async function outcomeOf({ order, etag }: Sent, reason: CancelReason | undefined): Promise<string> {
  try {
    const { position } = await client.cancel(order.id, { ifMatch: etag, reason });
    return `Cancelled, at position ${position}.`;
  } catch (error) {
    if (!(error instanceof StoreOrdersError)) throw error;
    switch (error.code) {
      case 'precondition_failed':
        return 'Not cancelled (412): the order is no longer the one that you saw. Its state is below.';
      case 'order_already_shipped':
        return 'Not cancelled (409): the order has shipped in the meantime. Its state is below.';
      case 'order_cancelled':
        return 'Not cancelled (409): the order is cancelled already, with another reason.';
      case 'network':
      case 'timeout':
      case 'outcome_unknown':
        return 'There was no answer, so it may be cancelled or not. The state below is what is recorded.';
      default:
        return `Not cancelled: ${error.message}`;
    }
  }
}
