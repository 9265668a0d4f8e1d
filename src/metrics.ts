/**
 * The catalogue of the service's own metrics: the name of each, its meaning, and where its values are
 * read. docs/operations/metrics.md explains them; those of the process are prom-client's.
 */

import type { Tail } from './app/audit/tail.ts';
import { byLabel, type Metric, only } from './app/metric.ts';
import type { Store } from './app/ports/store.ts';
import type { Bulkhead } from './app/read/bulkhead.ts';
import type { SnapshotKeeper } from './app/read/snapshot-keeper.ts';
import type { OrderList } from './app/state/order-list.ts';
import type { CommandProcessor } from './app/write/command-processor.ts';
import type { MeasuredWriter } from './app/write/measured-writer.ts';
import { type Health, REASONS } from './http/health.ts';
import type { RequestMetrics } from './http/request-metrics.ts';
import type { HttpServer } from './http/server.ts';

/** The parts of the service whose numbers are read. */
export interface Measured {
  readonly health: Pick<Health, 'reasons'>;
  readonly store: Pick<Store, 'log' | 'checkpoints'>;
  readonly list: OrderList<unknown>;
  readonly commands: CommandProcessor;
  readonly reads: Bulkhead;
  readonly writer: MeasuredWriter;
  readonly snapshots: SnapshotKeeper;
  readonly tail: Tail;
  readonly requests: RequestMetrics;
  readonly server: HttpServer;
}

/** Returns the metrics of a service. */
export function metricsOf(measured: Measured): readonly Metric[] {
  return [
    ...ofRequests(measured),
    ...ofCommands(measured),
    ...ofEvents(measured),
    ...ofStore(measured),
  ];
}

function ofRequests({ requests, health, server, tail, reads }: Measured): readonly Metric[] {
  return [
    {
      name: 'http_server_request_duration_seconds',
      help: 'Durations of requests, from their head to the end of their response.',
      kind: 'histogram',
      read: () => requests.durations(),
    },
    {
      name: 'store_orders_not_ready',
      help: 'Reasons why the service is not ready: 1 for those that apply.',
      kind: 'gauge',
      read: () =>
        byLabel(
          'reason',
          REASONS.map((reason) => [reason, Number(health.reasons.includes(reason))]),
        ),
    },
    {
      name: 'store_orders_errors',
      help: 'Responses with an Error, by its code.',
      kind: 'counter',
      read: () => byLabel('code', requests.errors),
    },
    {
      name: 'store_orders_connections',
      help: 'Open connections of clients.',
      kind: 'gauge',
      read: () => only(server.connections),
    },
    {
      name: 'store_orders_event_streams',
      help: 'Open event streams.',
      kind: 'gauge',
      read: () => only(tail.followers),
    },
    {
      name: 'store_orders_reads_under_way',
      help: 'Lists and other long reads that have a place.',
      kind: 'gauge',
      read: () => only(reads.underWay),
    },
    {
      name: 'store_orders_reads_waiting',
      help: 'Lists and other long reads that wait for a place.',
      kind: 'gauge',
      read: () => only(reads.waiting),
    },
  ];
}

function ofCommands({ commands, writer }: Measured): readonly Metric[] {
  return [
    {
      name: 'store_orders_commands_waiting',
      help: 'Commands that are in no batch yet.',
      kind: 'gauge',
      read: () => only(commands.waiting.length),
    },
    {
      name: 'store_orders_commands_oldest_seconds',
      help: 'Time for which the oldest command has been waiting.',
      kind: 'gauge',
      read: () => only(commands.waiting.ageMs / 1_000),
    },
    {
      name: 'store_orders_commands_shed',
      help: 'Commands that ended undecided: refused in an overload, or dropped as their client had gone.',
      kind: 'counter',
      read: () => byLabel('reason', Object.entries(commands.waiting.ended)),
    },
    {
      name: 'store_orders_batch_commands',
      help: 'Sizes of the batches that were recorded, in commands.',
      kind: 'histogram',
      read: () => only(writer.commands.read()),
    },
    {
      name: 'store_orders_batch_duration_seconds',
      help: 'Durations of batches, from when they are sent to the writer until they are durable.',
      kind: 'histogram',
      read: () => only(writer.seconds.read()),
    },
  ];
}

function ofEvents({ list, store }: Measured): readonly Metric[] {
  const head = sharedHeadOf(store);
  return [
    {
      name: 'store_orders_events',
      help: 'Events in the log, by type, as far as it is folded into the list.',
      kind: 'counter',
      read: () => byLabel('type', list.image.eventCounts()),
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
  ];
}

function ofStore({ store: { checkpoints }, snapshots }: Measured): readonly Metric[] {
  const ofCheckpoints: readonly Metric[] =
    checkpoints === undefined
      ? []
      : [
          {
            name: 'store_orders_wal_bytes',
            help: 'Size of the committed part of the -wal file after the last checkpoint.',
            kind: 'gauge',
            read: () => only(checkpoints().walBytes),
          },
          {
            name: 'store_orders_checkpoints',
            help: 'Checkpoints of the -wal file, by their result.',
            kind: 'counter',
            read: () => {
              const { done, incomplete, failed } = checkpoints();
              return byLabel('result', Object.entries({ done, incomplete, failed }));
            },
          },
        ];
  return [
    ...ofCheckpoints,
    {
      name: 'store_orders_snapshot_position',
      help: 'Position of the snapshot that the next start goes on from.',
      kind: 'gauge',
      read: () => only(snapshots.position),
    },
  ];
}

/**
 * Returns a function that reads the head of the log, once for all metrics of a scrape: on PostgreSQL
 * it is a query. It resolves with undefined while the database is out of reach.
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
    return underWay;
  };
}
