import pg from 'pg';
import { expect, it } from 'vitest';
import type { Connection } from '../../../../src/infra/postgres/connection/connection.ts';
import { FoundDamage } from '../../../../src/infra/postgres/damage.ts';
import { Looks } from '../../../../src/infra/postgres/looks.ts';
import { watcher } from '../../../support/watcher.ts';

const LOCKED = '55P03';
const DISK_FULL = '53100';

function refusal(code: string): pg.DatabaseError {
  const error = new pg.DatabaseError(`refused by ${code}`, 0, 'error');
  error.code = code;
  return error;
}

/** Looks at a database in which all is well, but that it refuses trials to write by these codes in turn. */
function looksAt(...codes: readonly string[]) {
  const trials = [...codes];
  const said: string[] = [];
  const reports = watcher({
    impaired: (reason, { message }) => void said.push(`${reason}: ${message}`),
    mended: (reason) => void said.push(`${reason} is over`),
  });
  let released = 0;
  const connection = {
    async run() {
      const code = trials.shift();
      if (code !== undefined) throw refusal(code);
    },
    rollBack: async () => void released++,
    release: () => void released++,
  } as unknown as Connection;
  const db = { query: async () => [], connect: async () => connection };
  const looks = new Looks(db, reports, new FoundDamage('postgres://localhost/x', reports));
  return { looks, said, trialsLeft: trials, released: () => released };
}

it.each([LOCKED, '57014', '25006', '53200', '53300', '40P01', '55006'])(
  'Writes that stay refused by %s are reported, and those refused for a moment are not',
  async (code) => {
    const short = looksAt(code);
    short.looks.refused(refusal(code));
    await short.looks.besideHead();
    await short.looks.besideHead();
    short.looks.refused(refusal(code));
    short.looks.recorded();
    await short.looks.besideHead();
    expect(short.said).toEqual([]);

    const long = looksAt(code, code);
    long.looks.refused(refusal(code));
    await long.looks.besideHead();
    expect(long.said).toEqual([]);
    await long.looks.besideHead();
    expect(long.said).toEqual([`writes_refused: the server refuses writes: refused by ${code}`]);
    expect(long.released()).toBe(2);
  },
);

it('Nothing is tried unless a write was refused', async () => {
  const { looks, said, trialsLeft } = looksAt(LOCKED);
  await looks.besideHead();
  looks.recorded();
  expect(trialsLeft).toHaveLength(1);
  expect(said).toEqual([]);
});

it('A full disk is reported at once, until a trial or a command is recorded', async () => {
  const { looks, said } = looksAt(DISK_FULL, DISK_FULL, DISK_FULL);
  const full = `storage_full: the server refuses writes: refused by ${DISK_FULL}`;
  looks.refused(refusal(DISK_FULL));
  expect(said).toEqual([full]);
  for (let looked = 0; looked < 4; looked++) await looks.besideHead();
  expect(new Set(said.slice(0, -1))).toEqual(new Set([full]));
  expect(said.at(-1)).toBe('storage_full is over');
  looks.refused(refusal(DISK_FULL));
  looks.recorded();
  expect(said.slice(-2)).toEqual([full, 'storage_full is over']);
});

it('A missing right is not tried, and what does not pass is reported at once', () => {
  const { looks, said } = looksAt();
  looks.refused(refusal('42501'));
  expect(said).toEqual([]);
  looks.refused(refusal('23514'));
  expect(said).toEqual(['writes_refused: the server refuses writes: refused by 23514']);
});
