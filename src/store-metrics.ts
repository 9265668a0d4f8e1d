/** The metrics of the log, the list and the store: a part of the catalogue in metrics.ts. */

import { pause } from './app/event-loop.ts';
import { byLabel, type Metric, only } from './app/metric.ts';
import type { Store } from './app/ports/store.ts';
import type { ReadModel } from './app/read/read-model.ts';
import type { SnapshotKeeper } from './app/read/snapshot-keeper.ts';
import type { OrderList } from './app/state/order-list.ts';

/**
 * The longest time for which a scrape waits for the head of the log, in milliseconds: behind a lock it takes
 * seconds, and a scrape that is given up looks like a service that does not answer.
 */
const HEAD_PATIENCE_MS = 1_000;

/** The parts of the service that are measured. */
export interface MeasuredStore {
  readonly health: { readonly reasons: readonly string[] };
  readonly store: Pick<Store, 'log' | 'checkpoints' | 'connections'>;
  readonly list: OrderList<unknown>;
  readonly readModel: Pick<ReadModel<unknown>, 'catchUps'>;
  readonly snapshots: SnapshotKeeper;
}

/** Returns the metrics of a store and of the folds of its log. */
export function metricsOfStore(measured: MeasuredStore): readonly Metric[] {
  return [...ofEvents(measured), ...ofStore(measured), ...ofConnections(measured)];
}

function ofEvents({ health, list, readModel, store }: MeasuredStore): readonly Metric[] {
  const head = sharedHeadOf(store);
  return [
    {
      name: 'store_orders_events',
      help: 'Events in the log, by type, as far as it is folded into the list.',
      kind: 'counter',
      // While a start reads the log, a number would look like events that are recorded at that moment.
      read: () =>
        health.reasons.includes('starting') ? [] : byLabel('type', list.image.eventCounts()),
    },
    {
      name: 'store_orders_log_position',
      help: 'Position of the last event in the log.',
      kind: 'gauge',
      read: async () => only(await head()),
    },
    {
      name: 'store_orders_list_lag_events',
      help: 'Events in the log that are not folded into the list yet.',
      kind: 'gauge',
      read: async () => {
        const position = await head();
        return only(position === undefined ? undefined : Math.max(0, position - list.position));
      },
    },
    {
      name: 'store_orders_list_catch_up_seconds',
      help: 'Waits of requests until the list had caught up with the log.',
      kind: 'histogram',
      read: () => only(readModel.catchUps.read()),
    },
  ];
}

/** Metrics that do not apply to the engine stay empty. */
function ofStore({ store: { checkpoints }, snapshots }: MeasuredStore): readonly Metric[] {
  return [
    {
      name: 'store_orders_wal_bytes',
      help: 'Size of the committed part of the -wal file after the last checkpoint.',
      kind: 'gauge',
      read: () => only(checkpoints?.().walBytes),
    },
    {
      name: 'store_orders_checkpoints',
      help: 'Checkpoints of the -wal file, by their result.',
      kind: 'counter',
      read: () => {
        if (checkpoints === undefined) return [];
        const { done, incomplete, failed } = checkpoints();
        return byLabel('result', Object.entries({ done, incomplete, failed }));
      },
    },
    {
      name: 'store_orders_checkpoint_age_seconds',
      help: 'Time since the last checkpoint of the whole -wal file.',
      kind: 'gauge',
      read: () => {
        const ageMs = checkpoints?.().ageMs;
        return only(ageMs && ageMs / 1_000);
      },
    },
    {
      name: 'store_orders_snapshot_position',
      help: 'Position of the snapshot that the next start goes on from.',
      kind: 'gauge',
      read: () => only(snapshots.position),
    },
  ];
}

/** Metrics of an engine with a database server. */
function ofConnections({ store: { connections } }: MeasuredStore): readonly Metric[] {
  return [
    {
      name: 'store_orders_database_connections',
      help: 'Open connections to the database, beside the one that listens.',
      kind: 'gauge',
      read: () => {
        if (connections === undefined) return [];
        const { idle, used } = connections();
        return byLabel('state', Object.entries({ idle, used }));
      },
    },
    {
      name: 'store_orders_database_connections_awaited',
      help: 'Calls that wait for a connection to the database.',
      kind: 'gauge',
      read: () => only(connections?.().waiting),
    },
    {
      name: 'store_orders_database_notifies',
      help: '1 while the database notifies of new events, 0 while the log is polled more often.',
      kind: 'gauge',
      read: () => only(connections && Number(connections().isNotified)),
    },
    {
      name: 'store_orders_log_lock_wait_seconds',
      help: 'Waits for the lock of the log, of batches that lock it before they are decided.',
      kind: 'histogram',
      read: () => only(connections?.().lockWaits),
    },
  ];
}

/**
 * Returns a function that reads the head of the log, once for all metrics of a scrape, because on
 * PostgreSQL it is a query. It resolves with undefined while the database is unreachable or slow.
 */
function sharedHeadOf({ log }: Pick<Store, 'log'>): () => Promise<number | undefined> {
  let underWay: Promise<number | undefined> | undefined;
  return () => {
    underWay ??= log
      .head()
      .catch(() => undefined)
      .finally(() => {
        underWay = undefined;
      });
    return Promise.race([underWay, pause(HEAD_PATIENCE_MS).then(() => undefined)]);
  };
}
