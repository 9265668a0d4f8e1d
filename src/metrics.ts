/**
 * The catalogue of the service's own metrics: names, meanings, and sources of the values. Those of
 * the log and its store are in store-metrics.ts, those of its witnesses in witness-metrics.ts, those of
 * the process are prom-client's. docs/operations/metrics.md explains them.
 */

import type { Tail } from './app/audit/trail/tail.ts';
import { byLabel, type Metric, only } from './app/metric.ts';
import type { Bulkhead } from './app/read/bulkhead.ts';
import type { CommandProcessor } from './app/write/command-processor.ts';
import type { ListVersions, VersionedChunk } from './http/answers/list-versions.ts';
import { UNTAKEN } from './http/answers/untaken.ts';
import { REASONS } from './http/health.ts';
import type { RequestMetrics } from './http/request-metrics.ts';
import type { HttpServer } from './http/server.ts';
import { type MeasuredStore, metricsOfStore } from './store-metrics.ts';
import { type MeasuredWitnesses, metricsOfWitnesses } from './witness-metrics.ts';

/** The parts of the service that are measured. */
export interface Measured extends MeasuredStore {
  readonly versions: Pick<ListVersions<VersionedChunk>, 'retainedBytes' | 'cutOff'>;
  readonly commands: CommandProcessor;
  readonly reads: Bulkhead;
  readonly tail: Tail;
  readonly requests: RequestMetrics;
  readonly server: HttpServer;
  /** Absent if the log has no witnesses. */
  readonly witnesses: MeasuredWitnesses | undefined;
}

/** Returns the metrics of a service. */
export function metricsOf(measured: Measured): readonly Metric[] {
  return [
    ...ofRequests(measured),
    ...ofConnections(measured),
    ...ofCommands(measured),
    ...metricsOfStore(measured),
    ...metricsOfWitnesses(measured.witnesses),
  ];
}

function ofRequests({ requests, health }: Measured): readonly Metric[] {
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
  ];
}

function ofConnections({ server, versions, tail, reads }: Measured): readonly Metric[] {
  return [
    {
      name: 'store_orders_connections',
      help: 'Open connections of clients.',
      kind: 'gauge',
      read: () => only(server.connections),
    },
    {
      name: 'store_orders_connections_ended',
      help: 'Connections that the service has ended: too many, too slow, or readers of too old a list.',
      kind: 'counter',
      read: () => {
        const slow = server.ended.slow + UNTAKEN.cutOff;
        const ended = { ...server.ended, slow, old_list: versions.cutOff };
        return byLabel('reason', Object.entries(ended));
      },
    },
    {
      name: 'store_orders_old_lists_bytes',
      help: 'Size of the parts of older lists that are kept for clients which are still reading them.',
      kind: 'gauge',
      read: () => only(versions.retainedBytes),
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

function ofCommands({ commands }: Measured): readonly Metric[] {
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
      read: () => only(commands.recorded.commands.read()),
    },
    {
      name: 'store_orders_batch_duration_seconds',
      help: 'Durations of batches, from when they are sent to the writer until they are durable.',
      kind: 'histogram',
      read: () => only(commands.recorded.seconds.read()),
    },
  ];
}
