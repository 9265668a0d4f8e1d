import { describe, expect, it, onTestFinished } from 'vitest';
import {
  RecordTree,
  verifyConsistency,
  verifyInclusion,
} from '../../src/app/audit/proofs/verifier.ts';
import { consistencyProof, inclusionProof } from '../../src/app/log/merkle-proofs.ts';
import { recordOf } from '../../src/app/log/recorded-event.ts';
import type { EventLog } from '../../src/app/ports/event-log.ts';
import type { Trail } from '../../src/app/ports/trail.ts';
import { encode } from '../../src/infra/events/codec.ts';
import { newEvent, placed, readAll, TRACEPARENT } from '../support/events.ts';

/** A log and its trail, as a server has them. */
export interface LogAndTrail {
  readonly log: EventLog;
  readonly trail: Trail;
  /** Opens one more handle on the same log, as another process would. */
  readonly openBeside: () => Promise<EventLog>;
}

/**
 * The contract of every engine's trail.
 * @param create Opens an empty log and its trail.
 */
export function trailContract(name: string, create: () => Promise<LogAndTrail>): void {
  async function given(count: number): Promise<LogAndTrail> {
    const opened = await create();
    onTestFinished(() => opened.log.close());
    await append(opened.log, count);
    return opened;
  }

  describe(`the trail in ${name}`, () => {
    it('is empty at first', async () => {
      const { trail } = await given(0);
      expect(await trail.stored(0, 10)).toStrictEqual([]);
      expect(headIn(await trail.treeHead())).toStrictEqual(headIn(new RecordTree().head()));
    });

    it('has the texts of every event, exactly as they are encoded', async () => {
      const { log, trail } = await given(1_100);
      const encoded = (await readAll(log)).map(encode);
      expect(await trail.stored(0, 2_000)).toStrictEqual(encoded);
      expect(await trail.stored(1_097, 2)).toStrictEqual(encoded.slice(1_097, 1_099));
      expect(await trail.stored(1_100, 5)).toStrictEqual([]);
      expect(await trail.stored(4_000, 5)).toStrictEqual([]);
    });

    it('has the traces of the events that came with one, beside what is recorded', async () => {
      const { log, trail } = await given(1);
      const traced = (id: bigint) => ({ ...newEvent(placed(id)), traceparent: TRACEPARENT });
      const events = [traced(2n), newEvent(placed(3n)), traced(4n)];
      expect(await log.append(1, () => events)).toMatchObject({ kind: 'appended' });
      expect(await trail.traces([1, 2, 3, 4, 5])).toStrictEqual(
        new Map([
          [2, TRACEPARENT],
          [4, TRACEPARENT],
        ]),
      );
      expect(await trail.traces([4])).toStrictEqual(new Map([[4, TRACEPARENT]]));
      expect(await trail.traces([])).toStrictEqual(new Map());
      const stored = await trail.stored(0, 10);
      expect(JSON.stringify(stored)).not.toContain(TRACEPARENT);
      expect(headIn(await trail.treeHead())).toStrictEqual(headIn(headOf(stored.map(recordOf))));
    });

    it('has the root of the tree of its records, and what it takes to prove each', async () => {
      const { trail } = await given(700);
      const records = (await trail.stored(0, 700)).map(recordOf);
      const head = headOf(records);
      expect(headIn(await trail.treeHead())).toStrictEqual(headIn(head));
      for (const index of [0, 1, 255, 256, 511, 512, 698, 699]) {
        const proof = await inclusionProof(index, 700, trail);
        expect(verifyInclusion(records[index] as string, index, head, proof).ok).toBe(true);
        const older = headOf(records.slice(0, index + 1));
        const grown = await consistencyProof(index + 1, 700, trail);
        expect(verifyConsistency(older, head, grown).ok).toBe(true);
      }
    });

    it.each<[string, (opened: LogAndTrail, after: number) => Promise<unknown>]>([
      ['the stored events', ({ trail }, after) => trail.stored(after, 1)],
      ['the tree', ({ trail }) => trail.treeHead()],
      ['the read log', ({ log }, after) => readAll(log, after)],
    ])('shows nothing that the head is then behind: %s', async (_, read) => {
      const opened = await given(1);
      const beside = await opened.openBeside();
      onTestFinished(() => beside.close());
      expect(await opened.log.head()).toBe(1);
      for (let head = 2; head <= 4; head++) {
        // Another process does not announce what it appends.
        await append(beside, 1);
        await read(opened, head - 1);
        expect(await opened.log.head()).toBe(head);
      }
    });

    it('grows with the log, event by event and batch by batch', async () => {
      const { log, trail } = await given(1);
      for (const count of [1, 2, 300, 1]) {
        await append(log, count);
        const records = (await trail.stored(0, 1_000)).map(recordOf);
        expect(headIn(await trail.treeHead())).toStrictEqual(headIn(headOf(records)));
      }
    });
  });
}

async function append(log: EventLog, count: number): Promise<void> {
  const head = await log.head();
  const events = Array.from({ length: count }, (_, n) => newEvent(placed(BigInt(head + n + 1))));
  expect(await log.append(head, () => events)).toMatchObject({ kind: 'appended' });
}

function headOf(records: readonly string[]) {
  const tree = new RecordTree();
  for (const record of records) tree.add(record);
  return tree.head();
}

function headIn({ size, root }: { readonly size: number; readonly root: Uint8Array }) {
  return { size, root: Buffer.from(root).toString('hex') };
}
