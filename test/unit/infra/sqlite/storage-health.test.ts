import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DamagedStore } from '../../../../src/app/ports/store.ts';
import { StorageHealth } from '../../../../src/infra/sqlite/storage/health.ts';

/** The interval of the probes, in milliseconds. */
const PROBE_MS = 1_000;

const LOCKED = new Database.SqliteError('database is locked', 'SQLITE_BUSY');
const FULL = new Database.SqliteError('database or disk is full', 'SQLITE_FULL');

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The health of a store whose probes fail for these reasons in turn, and then succeed. */
function failing(...errors: readonly Error[]) {
  const left = [...errors];
  const said: string[] = [];
  const probe = () => {
    const error = left.shift();
    if (error !== undefined) throw error;
  };
  const health = new StorageHealth('/nowhere/x.db', probe, {
    impaired: (reason, { message }) => void said.push(`${reason}: ${message}`),
    mended: (reason) => void said.push(`${reason} is over`),
  });
  return { health, left, said };
}

it('writes that another process keeps locked are reported, until a probe succeeds', () => {
  const { health, said } = failing(LOCKED, LOCKED, LOCKED);
  health.note(LOCKED);
  health.note(LOCKED);
  expect(said).toEqual([]);
  vi.advanceTimersByTime(PROBE_MS);
  expect(said).toEqual(['writes_refused: database is locked']);
  health.note(LOCKED);
  vi.advanceTimersByTime(2 * PROBE_MS);
  expect(said).toHaveLength(1);
  vi.advanceTimersByTime(PROBE_MS);
  expect(said.at(-1)).toBe('writes_refused is over');
  expect(vi.getTimerCount()).toBe(0);
});

it('writes are reported as locked by the second command, if each holds the probe up', () => {
  const { health, said } = failing();
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  health.note(LOCKED);
  now.mockReturnValue(PROBE_MS);
  health.note(LOCKED);
  expect(said).toEqual([]);
  now.mockReturnValue(PROBE_MS + 1);
  health.note(LOCKED);
  expect(said).toEqual(['writes_refused: database is locked']);
  vi.advanceTimersByTime(PROBE_MS);
  expect(said.at(-1)).toBe('writes_refused is over');
});

it('a lock that passes before the probe, or the next command, is not reported', () => {
  const { health, left, said } = failing();
  for (let again = 0; again < 3; again++) {
    health.note(LOCKED);
    vi.advanceTimersByTime(PROBE_MS);
  }
  left.push(LOCKED);
  for (let again = 0; again < 3; again++) {
    health.note(LOCKED);
    vi.advanceTimersByTime(PROBE_MS - 1);
    health.note(undefined);
  }
  vi.advanceTimersByTime(2 * PROBE_MS);
  expect(said).toEqual([]);
  expect(left).toHaveLength(1);
});

it.each([
  ['EACCES', 'EACCES'],
  // As Node.js names a code that it does not know, such as ESTALE.
  ['Unknown system error -116', 'ESTALE'],
])('an error of the system is reported at once, whatever its code: %s', (code, name) => {
  const error = Object.assign(new Error(`${name}, stat '/nowhere/x.db'`), {
    code,
    syscall: 'stat',
  });
  const { health, said } = failing();
  health.note(error);
  health.note(error);
  expect(said).toEqual([`storage_failing: ${name}, stat '/nowhere/x.db'`]);
  vi.advanceTimersByTime(PROBE_MS);
  expect(said).toEqual([said[0], 'storage_failing is over']);
});

it('one reason may follow another, and damage is left to others', () => {
  const damage = new DamagedStore('the event at position 1 is missing');
  const { health, said } = failing(LOCKED, damage);
  health.note(FULL);
  vi.advanceTimersByTime(PROBE_MS);
  const changed = ['storage_full is over', 'writes_refused: database is locked'];
  expect(said).toEqual([`storage_full: ${FULL.message}`, ...changed]);
  vi.advanceTimersByTime(2 * PROBE_MS);
  expect(said.at(-1)).toBe('writes_refused is over');
  health.note(damage);
  expect(vi.getTimerCount()).toBe(0);
});
