import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { engineOf } from '../../../src/infra/postgres/engine.ts';
import { openPostgresStore } from '../../../src/infra/postgres/store.ts';
import { newEvent, placed, readAll } from '../../support/events.ts';
import { temporaryFile } from '../../support/folder.ts';
import { newDatabase } from '../../support/postgres/databases.ts';
import { sql } from '../../support/postgres/sql.ts';

/** A store is served with any settings of its database, its user or its server, but for those that a start refuses. */

interface Setting {
  readonly name: string;
  readonly vartype: 'bool' | 'enum' | 'integer' | 'real' | 'string';
  readonly setting: string;
  readonly min_val: string;
  readonly max_val: string;
  readonly enumvals: readonly string[];
}

/** With these a start is refused, and says so: test/contract/postgres/start-checks.test.ts. */
const REFUSED = [
  'default_transaction_read_only',
  'ignore_checksum_failure',
  'session_replication_role',
  'zero_damaged_pages',
];

/** Their least values end a session before it can set anything. */
const TIMES = ['idle_session_timeout', 'transaction_timeout'];
const TIME_MS = 2_000;

/** Those of a transaction, of the person, of what is logged, and of tests of PostgreSQL itself. */
const NOT_OF_A_STORE =
  /^(?:transaction_(?:deferrable|isolation|read_only)|role|session_authorization|is_superuser|log_|debug_|trace_|wal_consistency|max_stack_depth)/;

/** Values for texts, of which the server names no range. */
const TEXTS: Readonly<Record<string, string>> = {
  client_encoding: 'LATIN1',
  DateStyle: 'German',
  search_path: 'other, public',
  TimeZone: 'Asia/Kathmandu',
  timezone_abbreviations: 'India',
};

/** Each returns a value of a setting other than the usual one, if there is one. */
const CHOICES: Readonly<Record<string, (setting: Setting) => string | undefined>> = {
  'the other one, or the least': ({ vartype, setting, min_val, enumvals, name }) => {
    if (vartype === 'string') return TEXTS[name];
    if (vartype === 'bool') return setting === 'on' ? 'off' : 'on';
    return vartype === 'enum' ? enumvals.find((each) => each !== setting) : min_val;
  },
  'the last one, or the most': ({ vartype, setting, max_val, enumvals, name }) => {
    if (TIMES.includes(name)) return String(TIME_MS);
    if (vartype === 'enum') return enumvals.findLast((each) => each !== setting);
    return vartype === 'integer' || vartype === 'real' ? max_val : undefined;
  },
};

/** Settings of which a value may depend on another one: they are set before the store is used, one by one. */
async function applySettings(url: string, user: string, choose: (setting: Setting) => unknown) {
  const settings = await sql<Setting>(
    url,
    `SELECT name, vartype, setting, min_val, max_val, enumvals FROM pg_settings
      WHERE context IN ('user', 'superuser') ORDER BY name`,
  );
  const applied: string[] = [];
  for (const setting of settings) {
    const { name } = setting;
    const value = choose(setting);
    if (value === undefined || REFUSED.includes(name) || NOT_OF_A_STORE.test(name)) continue;
    const text = name === 'search_path' ? value : `'${value}'`;
    await sql(url, `ALTER ROLE ${user} SET ${name} = ${text}`).then(
      () => applied.push(name),
      // Some values are out of a range that depends on the machine.
      () => undefined,
    );
  }
  return applied;
}

describe('a store is served with every setting of its user at', () => {
  it.each(Object.keys(CHOICES))('%s', async (which) => {
    const url = await newDatabase();
    const user = `user_${new URL(url).pathname.slice(1)}`;
    await sql(url, `CREATE ROLE ${user} LOGIN SUPERUSER`);
    onTestFinished(async () => void (await sql(url, `DROP OWNED BY ${user}; DROP ROLE ${user}`)));
    const applied = await applySettings(url, user, CHOICES[which] as never);
    expect(applied.length).toBeGreaterThan(60);
    const mine = url.replace('postgres@', `${user}@`);
    const ignored = { lost() {}, impaired() {}, mended() {}, noticed() {} };
    await (await openPostgresStore(mine, ignored)).close();

    const headFile = temporaryFile();
    const engine = engineOf(mine, { databaseWaitMs: 0, scrubBytesPerSecond: 0, headFile });
    const store = await engine.openForCommandLine('refuse');
    try {
      for (const id of [1n, 2n, 3n]) {
        const event = newEvent(placed(id, { petId: 9_007_199_254_740_993n as never }));
        const result = await store.log.append(Number(id) - 1, () => [event]);
        expect(result).toMatchObject({ kind: 'appended' });
      }
      await setTimeout(TIME_MS * 1.25);
      expect((await readAll(store.log)).map(({ event }) => event.orderId)).toEqual([1n, 2n, 3n]);
      await store.checked(new AbortController().signal);
    } finally {
      await store.close();
    }
  });
});
