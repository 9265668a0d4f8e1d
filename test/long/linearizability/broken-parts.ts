import type { Outcome, Submission } from '../../../src/app/log/submission.ts';
import { CommandProcessor } from '../../../src/app/write/command-processor.ts';
import { Writer } from '../../../src/app/write/writer.ts';
import type { Instant } from '../../../src/domain/instant.ts';
import type { OrderId } from '../../../src/domain/order-id.ts';
import { MemoryEventLog } from '../../../src/infra/memory/event-log.ts';
import { asTheyAre, type Ground, type Parts } from './app-parts.ts';

/** Applications that are put together from the real parts, each with one mistake. */
export const BROKEN: Readonly<Record<string, (ground: Ground) => Promise<Parts>>> = {
  async 'answers a command before it is recorded'(ground) {
    // A second log says what the answer will be.
    const soon = await Writer.open(new MemoryEventLog(), () => 0);
    let recorded = Promise.resolve<unknown>(undefined);
    return withWriter(ground, async (batch) => {
      recorded = recorded.then(() => ground.writer.execute(batch));
      return soon.execute(batch);
    });
  },

  async 'joins a catch-up that is under way'(ground) {
    const { readModel } = asTheyAre(ground);
    let underWay: ReturnType<typeof readModel.current> | undefined;
    const current = () => {
      underWay ??= readModel.current().finally(() => {
        underWay = undefined;
      });
      return underWay;
    };
    return { ...asTheyAre(ground), readModel: { current } };
  },

  async 'does not wait for the catch-up'(ground) {
    const { readModel, ...rest } = asTheyAre(ground);
    const current = async () => {
      readModel.current();
      return ground.list;
    };
    return { ...rest, readModel: { current } };
  },

  async 'shows an order before it is recorded'(ground) {
    const { commands, readModel } = asTheyAre(ground);
    const shipping = new Map<bigint, Instant>();
    return {
      commands: {
        submit(submission) {
          const { command } = submission;
          if (command.type === 'ShipOrder') shipping.set(command.orderId, command.shipDate);
          return commands.submit(submission);
        },
      },
      readModel: {
        async current() {
          const list = await readModel.current();
          return {
            encoded: () => list.encoded(),
            get(id) {
              const order = list.get(id);
              const shipDate = shipping.get(id);
              return order && shipDate ? { ...order, shipDate, status: 'shipped' } : order;
            },
          };
        },
      },
    };
  },

  async 'decides every command of a batch on the state before it'(ground) {
    return withWriter(ground, async (batch) => {
      const outcomes = await Promise.all(
        batch.map(async (submission) => {
          const soon = new MemoryEventLog();
          for await (const events of ground.log.read(0)) await soon.append(0, () => events);
          return (await (await Writer.open(soon, () => 0)).execute([submission]))[0] as Outcome;
        }),
      );
      await ground.writer.execute(batch);
      return outcomes;
    });
  },

  async 'loses every third batch'(ground) {
    let batches = 0;
    return withWriter(ground, async (batch) => {
      batches += 1;
      if (batches % 3 !== 0) return ground.writer.execute(batch);
      const copy = new MemoryEventLog();
      for await (const events of ground.log.read(0)) await copy.append(0, () => events);
      return (await Writer.open(copy, () => 0)).execute(batch);
    });
  },

  async 'carries out again what it could not tell the outcome of'(ground) {
    let batches = 0;
    return withWriter(ground, async (batch) => {
      batches += 1;
      const outcomes = await ground.writer.execute(batch);
      return batches % 2 === 0 ? outcomes : ground.writer.execute(batch);
    });
  },

  async 'lists one half later than the other'(ground) {
    const { list } = ground;
    const { readModel, ...rest } = asTheyAre(ground);
    let before = list.encoded();
    const encoded = () => {
      const now = list.encoded();
      const isEven = ({ id }: { id: bigint }) => id % 2n === 0n;
      const rows = [
        ...before.chunks.flat().filter(isEven),
        ...now.chunks.flat().filter((row) => !isEven(row)),
      ];
      before = now;
      return { ...now, chunks: [rows] };
    };
    const current = async () => {
      await readModel.current();
      return { get: (id: OrderId) => list.get(id), encoded };
    };
    return { ...rest, readModel: { current } };
  },
};

function withWriter(
  ground: Ground,
  execute: (batch: readonly Submission[]) => Promise<readonly Outcome[]>,
): Parts {
  const commands = new CommandProcessor({ execute }, () => undefined);
  return { ...asTheyAre(ground), commands };
}
