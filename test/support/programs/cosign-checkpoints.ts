import { openSync, writeSync } from 'node:fs';
import { witnessOn } from '../witness-on.ts';
import { leavesOf, WitnessedLog } from '../witnessed-log.ts';

/**
 * Submits a checkpoint of each size to a witness, up to the given one, and is killed; with no size, makes
 * a witness. Each answer is noted in the file `-answers` beside the witness's memory, as a line
 * with the size.
 */
const [, , file = '', sizes = '0'] = process.argv;
const log = new WitnessedLog(leavesOf(Number(sizes)));
const witness = witnessOn(file, log, sizes === '0' ? 'new' : 'used');
const answers = openSync(`${file}-answers`, 'w');
for (let size = 1; size <= log.leaves.length; size += 1) {
  const { kind } = witness.add(log.request(size - 1, size));
  if (kind !== 'cosigned') throw new Error(kind);
  // At a place: of writes without one, none is recorded.
  writeSync(answers, Buffer.from(`${size}\n`), 0, undefined, size * 8);
}
if (sizes === '0') witness.close();
else process.kill(process.pid, 'SIGKILL');
