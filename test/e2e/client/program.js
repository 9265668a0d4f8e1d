/**
 * Uses the client as an application would. It runs in every runtime: it imports nothing, and returns
 * the same wherever it runs.
 * @param {{ StoreOrders: any, StoreOrdersError: any }} client The module of the client.
 * @param {string} url
 * @param {string} key
 * @param {string} publicKey
 * @param {any} [verifier] That of receipts, for runtimes that cannot load it.
 */
export async function useClient({ StoreOrders, StoreOrdersError }, url, key, publicKey, verifier) {
  /** @type {string[]} */
  const retries = [];
  const onRetry = (/** @type {any} */ { error }) => retries.push(error.code);
  const store = new StoreOrders({ url, key, onRetry });
  const petId = 9007199254740993n;
  const placed = await store.place({ petId, quantity: 1, shipDate: new Date(0) });
  const { etag, ...got } = await store.get(BigInt(placed.id));
  const other = await store.v1.place({ petId: `${petId}`, quantity: 2 });
  const { position } = await store.cancel(other.id, { ifMatch: other.etag });
  const listed = [];
  for await (const order of store.list({ id: [placed.id, other.id], limit: 1 })) listed.push(order);
  const v1 = await store.v1.list();
  const refusal = await store
    .ship(other.id, new Date(0))
    .catch((/** @type {any} */ error) => error);
  const events = [];
  for await (const event of store.events.follow({ after: position - 1 })) {
    events.push([event.type, event.data.orderId === other.id]);
    break;
  }
  const receipt = await store.receipt(other.id).verify(publicKey, verifier);
  const stop = new AbortController();
  stop.abort();
  const aborted = await store
    .get(placed.id, { signal: stop.signal })
    .catch((/** @type {any} */ e) => e);
  return {
    place: [
      placed.petId,
      placed.status,
      placed.shipDate,
      placed.etag === etag && got.id === placed.id,
    ],
    list: listed.map(({ petId, status }) => [petId, status]),
    v1: v1
      .filter((/** @type {any} */ { id }) => id === other.id)
      .map((/** @type {any} */ order) => order.petId),
    refusal: [refusal instanceof StoreOrdersError, refusal.code, refusal.status],
    requestId: typeof refusal.requestId,
    follow: events,
    receipt: [receipt.ok, receipt.value?.type],
    aborted: aborted.code,
    retries,
  };
}
