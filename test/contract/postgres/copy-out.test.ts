import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Connection } from '../../../src/infra/postgres/connection/connection.ts';
import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { COPY_EVENTS, rowsIn } from '../../../src/infra/postgres/event-lines.ts';
import { newDatabase } from '../../support/postgres/databases.ts';
import { sql } from '../../support/postgres/sql.ts';

const PATIENCE_MS = 20_000;

async function given(): Promise<{ url: string; connection: Connection }> {
  const url = await newDatabase();
  const db = new Database(url);
  const connection = await db.connect();
  onTestFinished(async () => {
    connection.release(new Error('the test is over'));
    await db.close();
  });
  return { url, connection };
}

const numbers = (count: number) => `COPY (SELECT generate_series(1, ${count})) TO STDOUT`;

describe('COPY TO STDOUT', () => {
  it('sends every row once, in order, in chunks of whole lines', async () => {
    const { connection } = await given();
    let due = 1;
    let chunks = 0;
    for await (const chunk of connection.copyOut(numbers(300_000), PATIENCE_MS)) {
      chunks += 1;
      expect(chunk.at(-1)).toBe(0x0a);
      const lines = String(chunk).slice(0, -1).split('\n');
      expect(lines.map(Number)).toEqual(lines.map((_, at) => due + at));
      due += lines.length;
    }
    expect(due).toBe(300_001);
    expect(chunks).toBeGreaterThan(3);
  });

  it('may send nothing at all', async () => {
    const { connection } = await given();
    expect(await Array.fromAsync(connection.copyOut(numbers(0), PATIENCE_MS))).toEqual([]);
  });

  it('sends a line that is longer than a chunk', async () => {
    const { connection } = await given();
    const text = `COPY (SELECT repeat('x', g * 400000) FROM generate_series(0, 2) g) TO STDOUT`;
    const sent = Buffer.concat(await Array.fromAsync(connection.copyOut(text, PATIENCE_MS)));
    expect(String(sent)).toBe(`\n${'x'.repeat(400_000)}\n${'x'.repeat(800_000)}\n`);
  });

  it('throws the error of the server after the lines before it', async () => {
    const { connection } = await given();
    const text = 'COPY (SELECT 1 / (100000 - g) FROM generate_series(1, 200000) g) TO STDOUT';
    let lines = 0;
    const read = async () => {
      for await (const chunk of connection.copyOut(text, PATIENCE_MS)) {
        lines += String(chunk).split('\n').length - 1;
      }
    };
    await expect(read()).rejects.toThrow('division by zero');
    expect(lines).toBe(99_999);
    expect(await connection.run('BEGIN')).toBe('BEGIN');
  });

  it('is dropped if its reader stops early, and the next statement is answered', async () => {
    const { connection } = await given();
    for await (const _ of connection.copyOut(numbers(2_000_000), PATIENCE_MS)) break;
    expect(await connection.query({ name: 'one', text: 'SELECT 1' })).toEqual([[1]]);
  });

  it('waits for a slow reader instead of filling the memory', async () => {
    const { url, connection } = await given();
    const read = connection.copyOut(numbers(20_000_000), PATIENCE_MS)[Symbol.asyncIterator]();
    await read.next();
    const waits = async () => {
      const [row] = await sql<{ wait_event: string }>(
        url,
        `SELECT wait_event FROM pg_stat_activity WHERE query LIKE 'COPY (SELECT generate_series%'`,
      );
      return row?.wait_event === 'ClientWrite';
    };
    await expect.poll(waits, { timeout: PATIENCE_MS }).toBe(true);
    await setTimeout(200);
    expect(await waits()).toBe(true);
    await read.return?.();
  });

  it('ends with an error if the connection is lost on the way', async () => {
    const { url, connection } = await given();
    const read = connection.copyOut(numbers(20_000_000), PATIENCE_MS)[Symbol.asyncIterator]();
    await read.next();
    await sql(
      url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE query LIKE 'COPY (SELECT generate_series%'`,
    );
    const rest = async () => {
      while ((await read.next()).done !== true);
    };
    await expect(rest()).rejects.toThrow();
  });

  it('ends with an error if the server is silent for too long', async () => {
    const { connection } = await given();
    const text = 'COPY (SELECT pg_sleep(10)) TO STDOUT';
    await expect(Array.fromAsync(connection.copyOut(text, 200))).rejects.toThrow(
      'the database has sent nothing for 200 ms',
    );
  });
});

describe('The lines of events', () => {
  it('carry every text that PostgreSQL can store', async () => {
    const { url, connection } = await given();
    await sql(url, 'ALTER TABLE store_orders.events DROP CONSTRAINT events_position_check');
    const text = fc.string({ unit: fc.oneof(fc.constantFrom(...'\t\n\r\b\f\v\\N.'), fc.string()) });
    const storable = text.map((all) => all.replaceAll('\0', '').toWellFormed());
    const bigint = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    const event = fc.tuple(bigint, fc.nat(), storable, fc.nat(), storable, storable);
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 20 }), async (events) => {
        const rows = events.map(([orderId, version, type, schemaVersion, ...texts], at) => {
          const written = [type, ...texts].map((each) => pg.escapeLiteral(each));
          return `(${at + 1}, ${orderId}, ${version}, ${written[0]}, ${schemaVersion}, ${written[1]}, ${written[2]})`;
        });
        await sql(
          url,
          `SET session_replication_role = replica; TRUNCATE store_orders.events;
           INSERT INTO store_orders.events
             (position, order_id, version, type, schema_version, data, metadata)
             VALUES ${rows.join()}`,
        );
        const chunks = await Array.fromAsync(connection.copyOut(COPY_EVENTS, PATIENCE_MS));
        expect(chunks.flatMap(rowsIn)).toEqual(
          events.map(([id, version, type, schemaVersion, data, metadata], at) => {
            const orderId = String(id).length > 15 ? String(id) : Number(id);
            return { position: at + 1, orderId, version, type, schemaVersion, data, metadata };
          }),
        );
      }),
      { numRuns: 60 },
    );
  });
});
