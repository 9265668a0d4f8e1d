import type { Fault } from './scenario.ts';
import type { World } from './world.ts';

/** The effect of each fault, at its moment. */

const OUTAGE_MS = 250;
const HOUR_MS = 3_600_000;
/** Moves the clock out of the years that an event can have. */
const TOO_FAR_MS = 400_000_000 * HOUR_MS;
/** The number of flushes that a disk lies about before the power fails. */
const LIES = 12;

export const STRIKES: Readonly<Record<Fault['what'], (world: World) => void>> = {
  'kill an instance': (world) => world.anyInstance().kill('kill -9'),
  'end an instance and the power'(world) {
    world.database.losePower();
    world.anyInstance().kill('no power');
  },
  'restart the database': ({ database }) => database.restart(),
  'fill the disk'(world) {
    world.database.disk.isFull = true;
    world.time.after(OUTAGE_MS, () => world.strike('empty the disk'));
  },
  'empty the disk'({ database: { disk } }) {
    disk.isFull = false;
  },
  'slow the disk'({ database: { disk } }) {
    disk.isSlow = !disk.isSlow;
  },
  'fail a flush'({ database: { disk } }) {
    disk.failing += 1;
  },
  'lie about a flush'(world) {
    world.database.disk.lying += LIES;
    const afterMs = 20 + world.random.below(60);
    world.time.after(afterMs, () => world.strike('end an instance and the power'));
  },
  'flip a bit'({ database, time, random }) {
    database.disk.flipBit();
    time.after(random.below(100), () => database.restart());
  },
  'revoke a key': (world) => world.revokeKey(),
  'set the clock back': ({ time }) => time.step(-HOUR_MS),
  'set the clock forward': ({ time }) => time.step(HOUR_MS),
  'break the clock'({ time }) {
    time.step(TOO_FAR_MS);
    time.after(OUTAGE_MS, () => time.step(-TOO_FAR_MS));
  },
};
