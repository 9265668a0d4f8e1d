/** The form that cancels an order: offered where it is possible, and carried out only if it is meant. */
import { useRef, useState } from 'preact/hooks';
import { type ErrorCode, StoreOrdersError } from '../../client/client.ts';
import { leavesOpen } from '../../client/retry-policy.ts';
import { CANCEL_REASONS, type CancelReason } from '../../domain/order.ts';
import { allowsChanges, can, client } from '../parts/session.ts';
import type { Sent } from '../state/answers.ts';

interface CancelProps {
  readonly sent: Sent;
  /** Called when an attempt begins, and again when it has ended, with what to say of it. */
  readonly onBegin: (said: string) => void;
  readonly onEnd: (said: string) => void;
}

export function CancelOrder({ sent, onBegin, onEnd }: CancelProps) {
  const isUnderWay = useRef(false);
  if (sent.order.status !== 'pending' || !can('orders:cancel')) return null;
  if (!allowsChanges.value) {
    return <p class="quiet">To cancel this order, press “Allow changes” above first.</p>;
  }
  const cancel = async (reason: CancelReason | undefined) => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    onBegin('Cancelling …');
    onEnd(await outcomeOf(sent, reason));
  };
  return <CancelForm id={sent.order.id} onCancel={cancel} />;
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
    onCancel(CANCEL_REASONS.find((each) => each === reason));
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
          {CANCEL_REASONS.map((reason) => (
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

/** The orders with an attempt that was not refused: it may arrive late, or after its page was left. */
const attempted = new Set<string>();

/** Cancels an order as it was seen, and returns what came of it, in words. */
async function outcomeOf({ order, etag }: Sent, reason: CancelReason | undefined): Promise<string> {
  try {
    // To cancel an order again is no conflict for the service, so that it can be repeated.
    const { status } = await client.get(order.id);
    if (status === 'cancelled')
      return attempted.has(order.id) ? CANCELLED_PERHAPS : CANCELLED_BEFORE;
  } catch (error) {
    return `Not cancelled: ${known(error).message}`;
  }
  if (!allowsChanges.value) return SWITCHED_OFF;
  const isFirst = !attempted.has(order.id);
  attempted.add(order.id);
  try {
    const { position } = await client.cancel(order.id, { ifMatch: etag, reason });
    return `Cancelled, at position ${position}.`;
  } catch (error) {
    const { code, message } = known(error);
    if (leavesOpen(code)) return `${UNKNOWN} The reason: ${message}`;
    if (isFirst) attempted.delete(order.id);
    return REFUSALS[code] ?? `Not cancelled: ${message}`;
  }
}

const UNKNOWN =
  'It may be cancelled or not: the outcome is unknown. Its state below is what is recorded.';

const SWITCHED_OFF = 'Not cancelled: changes were switched off before it was sent.';

const CANCELLED_BEFORE =
  'Not cancelled by you: somebody has cancelled the order meanwhile. Its state is below.';

const CANCELLED_PERHAPS =
  'The order is cancelled: by your attempt before, or by somebody else. Its state is below.';

/** The refusals of which there is more to say than the service does. */
const REFUSALS: Readonly<Partial<Record<ErrorCode, string>>> = {
  precondition_failed:
    'Not cancelled (412): the order is no longer the one that you saw. Its state is below.',
  order_already_shipped:
    'Not cancelled (409): the order has shipped in the meantime. Its state is below.',
  order_cancelled: 'Not cancelled (409): the order is cancelled already, with another reason.',
};

function known(error: unknown): StoreOrdersError {
  if (!(error instanceof StoreOrdersError)) throw error;
  return error;
}
