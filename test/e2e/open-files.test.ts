import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isNightly } from '../support/nightly.ts';
import { newDatabase } from '../support/postgres/databases.ts';
import { Service } from '../support/service.ts';

/** The limits that are tried begin so many files below the number that a ready service has open. */
const BELOW = 8;
/** Each start takes a second of a processor. */
const STEP = isNightly ? 1 : 3;
/** With fewer, Node.js itself crashes. */
const FEWEST = 24;

test.each([
  ['SQLite', async () => ({})],
  ['PostgreSQL', async () => ({ DATABASE_URL: await newDatabase() })],
])('a start on %s that may open too few files ends with a reason', async (_, given) => {
  const env: Record<string, string> = await given();
  await using service = new Service();
  await service.start(env);
  const ready = readdirSync(`/proc/${service.program.child.pid}/fd`).length;
  await service.program.end();
  let refused = 0;
  for (let files = Math.max(ready - BELOW, FEWEST); files <= ready; files += STEP) {
    // Waits for ever if the process neither answers nor ends.
    const answers = await service.startWith(`ulimit -n ${files}`, env).then(
      () => true,
      () => false,
    );
    const { program } = service;
    if (answers) await program.end();
    else {
      refused += 1;
      expect(program.stderr).toMatch(/too many|EMFILE|unable to/i);
      expect(program.stderr).not.toContain('It takes a folder');
      expect(await program.ended()).toBe(1);
    }
  }
  expect(refused).toBeGreaterThan(0);
});
