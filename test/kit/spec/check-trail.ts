import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { OrderEvent } from '../vocabulary.ts';
import { runTests, SPECIFICATION, TRAILS } from './quint.ts';
import { type TrailModule, trailModule } from './trail.ts';

/** Replays recorded events with the specification. */

const ORDERS_IN_TEST = 10;

/**
 * Returns the events of an order that are no steps of the specification, in words; `undefined` if
 * all are.
 * @param events The events of a whole log, or those of some orders from their placements on.
 */
export async function wrongInTrail(events: readonly OrderEvent[]): Promise<string | undefined> {
  if (events.length === 0) return undefined;
  const [failed] = await failuresOf(trailModule('several', events, ORDERS_IN_TEST));
  if (failed === undefined) return undefined;
  const concerned = eventsOf(failed, events);
  const [single = failed] = await failuresOf(trailModule('single', concerned, 1));
  const words = eventsOf(single, concerned).map(({ type, orderId }) => `${type} ${orderId}`);
  return `these events are no steps of the specification: ${words.join(', ')}`;
}

/** Returns the ids of the orders of each test that fails. */
export async function failuresOf(module: TrailModule): Promise<readonly (readonly bigint[])[]> {
  const { name, text, tests } = module;
  const folder = mkdtempSync(join(tmpdir(), 'store-orders-trail-'));
  try {
    for (const file of [SPECIFICATION, TRAILS]) cpSync(file, join(folder, basename(file)));
    const file = join(folder, `${name}.qnt`);
    writeFileSync(file, text);
    const { code, output } = await runTests(file);
    const namesOf = (line: RegExp) => new Set([...output.matchAll(line)].map(([, test]) => test));
    const passed = namesOf(/^ *ok (\w+) passed/gm);
    const failed = namesOf(/^ *\d+\) (\w+) failed/gm);
    const isWhole =
      passed.size + failed.size === tests.size && (code === 0) === (failed.size === 0);
    if (!isWhole) throw new Error(`the trail was not replayed: ${output}`);
    return [...tests].filter(([test]) => failed.has(test)).map(([, orders]) => orders);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function eventsOf(orders: readonly bigint[], events: readonly OrderEvent[]): readonly OrderEvent[] {
  return events.filter(({ orderId }) => orders.includes(orderId));
}
