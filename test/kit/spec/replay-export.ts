import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Command } from 'commander';
import { withProgress } from '../../../src/cli/shared/progress.ts';
import type { OrderEvent } from '../vocabulary.ts';
import { wrongInTrail } from './check-trail.ts';

/** Replays an export of a log with the specification. docs/specification.md explains it. */

/** The number of orders that are replayed at once: a run of Quint takes a second to begin. */
const ORDERS_AT_ONCE = 2_000;

const [file = ''] = new Command('npm run test:trail --')
  .description('Replays the events of an export (audit export) as steps of the specification.')
  .argument('<file>', 'the export')
  .parse().args;

const streams = await streamsIn(file);
const events = [...streams.values()];
const wrong = await withProgress(process.stderr, 'Replaying', streams.size, async (advance) => {
  for (let done = 0; done < events.length; done += ORDERS_AT_ONCE) {
    const found = await wrongInTrail(events.slice(done, done + ORDERS_AT_ONCE).flat());
    if (found !== undefined) return found;
    advance(Math.min(done + ORDERS_AT_ONCE, events.length));
  }
  return undefined;
});
const count = events.reduce((sum, each) => sum + each.length, 0);
if (wrong === undefined) {
  process.stdout.write(
    `${count} events of ${streams.size} orders are steps of the specification.\n`,
  );
} else {
  process.stdout.write(`${wrong}\n`);
  process.exitCode = 1;
}

/** Returns the events of an export by order. */
async function streamsIn(name: string): Promise<ReadonlyMap<bigint, OrderEvent[]>> {
  const found = new Map<bigint, OrderEvent[]>();
  for await (const line of createInterface({ input: createReadStream(name) })) {
    const { type, data } = JSON.parse(line);
    if (data?.orderId === undefined) continue;
    const event = { ...data, type, orderId: BigInt(data.orderId) } as OrderEvent;
    const stream = found.get(event.orderId) ?? [];
    stream.push(event);
    found.set(event.orderId, stream);
  }
  return found;
}
