import type { ItfTrace } from '../aggregate/itf.ts';
import { happeningsOf } from '../spec/orders-trace.ts';
import { replayTrace } from '../spec/replay.ts';
import { Violation } from '../target.ts';
import { absentIds, freshPet } from './orders.ts';
import { type Check, must, OutOfTime } from './trial.ts';

const TRACES = 'every trace of the specification gets its answers';

/** Traces that were recorded from the executable specification. */
export const traces: readonly Check[] = [
  {
    name: TRACES,
    group: 'traces',
    basis: 'promise',
    needs: [
      'to write',
      'to place',
      'to ship',
      'the operations placeOrder and shipOrder',
      'the batches of version 2',
    ],
    async run(trial) {
      const happenings = trial.traces.flatMap(happeningsOf);
      const isEmpty = !happenings.some(({ kind }) => kind === 'decided');
      // Of a run of the specification that ends early, nothing is sent, and nothing would be wrong.
      must(!isEmpty, TRACES, 'no request is decided in them: run the specification for longer');
      const [absentId = -1n] = (await absentIds(trial)).filter((id) => id < 0n);
      for (const trace of trial.traces) {
        if (trial.leftMs() <= 0) throw new OutOfTime();
        const keyPrefix = `trace-${freshPet()}`;
        const clientOf = () => trial.api.client;
        await replayTrace(trace, { clientOf, absentId, keyPrefix }).catch((error) => {
          throw error instanceof Violation ? named(trace, error) : error;
        });
      }
      return undefined;
    },
  },
];

function named({ name }: ItfTrace, { rule, message, script }: Violation): Violation {
  return new Violation(rule, `${name}: ${message}`, script);
}
