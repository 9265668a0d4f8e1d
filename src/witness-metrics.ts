/** The metrics of the log's witnesses: a part of the catalogue in metrics.ts. */

import { byLabel, type Metric, only } from './app/metric.ts';
import type { CosignedCheckpoints } from './app/witnessing/cosigned-checkpoints.ts';
import type { WitnessStatus } from './app/witnessing/witness-progress.ts';
import type { Witnessing } from './app/witnessing/witnessing.ts';

/** The parts of the submission to witnesses that are measured. */
export interface MeasuredWitnesses {
  readonly witnessing: Pick<Witnessing, 'statuses'>;
  readonly cosigned: Pick<CosignedCheckpoints, 'newest'>;
}

/** Returns the metrics of a log's witnesses. They stay empty without any. */
export function metricsOfWitnesses(measured: MeasuredWitnesses | undefined): readonly Metric[] {
  const each = (value: (status: WitnessStatus) => number) => () =>
    byLabel(
      'witness',
      (measured?.witnessing.statuses ?? []).map((status) => [status.name, value(status)]),
    );
  return [
    {
      name: 'store_orders_witnessed_position',
      help: 'Position of the last event in the newest checkpoint that a quorum of witnesses has cosigned.',
      kind: 'gauge',
      read: () => only(measured && (measured.cosigned.newest?.size ?? 0)),
    },
    {
      name: 'store_orders_witness_position',
      help: 'Position of the last event in the checkpoint that a witness has cosigned last.',
      kind: 'gauge',
      read: each(({ size }) => size),
    },
    {
      name: 'store_orders_witness_lag_events',
      help: 'Events in the newest checkpoint beyond those that a witness has seen.',
      kind: 'gauge',
      read: each(({ lagEvents }) => lagEvents),
    },
    {
      name: 'store_orders_witness_lag_seconds',
      help: 'Time since the log went beyond the checkpoint that a witness has cosigned last.',
      kind: 'gauge',
      read: each(({ lagMs }) => lagMs / 1_000),
    },
    {
      name: 'store_orders_witness_submissions',
      help: 'Submissions of checkpoints to a witness, by their outcome.',
      kind: 'counter',
      read: () =>
        (measured?.witnessing.statuses ?? []).flatMap(({ name: witness, counts }) =>
          Object.entries(counts).map(([outcome, value]) => {
            return { labels: { witness, outcome }, value };
          }),
        ),
    },
  ];
}
