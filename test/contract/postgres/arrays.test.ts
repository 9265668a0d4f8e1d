import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byteas, int4s, int8s, texts } from '../../../src/infra/postgres/arrays.ts';
import type { Queryable } from '../../../src/infra/postgres/connection/connection.ts';
import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { anyText } from '../../support/any-text.ts';
import { newDatabase } from '../../support/postgres/databases.ts';

const ECHO = {
  name: 'echo',
  text: `SELECT array_to_json($1::integer[])::text, array_to_json($2::bigint[]::text[])::text,
                array_to_json($3::text[])::text, array_to_json($4::bytea[])::text`,
};

const MAX_INT4 = 2 ** 31 - 1;
// UTF-8 has no lone surrogates, and PostgreSQL no character 0.
const text = anyText().map((value) => value.replaceAll('\0', ''));
const orNull = <Value>(value: fc.Arbitrary<Value>) => fc.array(fc.option(value, { freq: 4 }));

/** Returns the columns as PostgreSQL reads them. */
async function echo(db: Queryable, ...values: readonly Buffer[]): Promise<readonly unknown[]> {
  const [row] = await db.query<string[]>(ECHO, values);
  return (row ?? []).map((json) => JSON.parse(json));
}

describe('Columns as arrays in binary', () => {
  it('are for PostgreSQL what they are here, of any type and length, with nulls among them', async () => {
    const db = new Database(await newDatabase());
    await fc.assert(
      fc.asyncProperty(
        orNull(fc.integer({ min: -MAX_INT4 - 1, max: MAX_INT4 })),
        orNull(
          fc.oneof(fc.maxSafeInteger(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
        ),
        orNull(text),
        fc.array(fc.uint8Array().map((bytes) => Buffer.from(bytes))),
        async (ints, bigs, strings, blobs) => {
          const columns = [int4s(ints), int8s(bigs), texts(strings), byteas(blobs)];
          expect(await echo(db, ...columns)).toStrictEqual([
            ints,
            bigs.map((value) => (value === null ? null : String(value))),
            strings,
            blobs.map((blob) => `\\x${blob.toString('hex')}`),
          ]);
        },
      ),
    );
    await db.close();
  });

  it("refuse values out of the type's range", () => {
    expect(() => int4s([MAX_INT4 + 1])).toThrow(RangeError);
    expect(() => int8s([2n ** 63n])).toThrow(RangeError);
    expect(() => int8s([0.5])).toThrow(RangeError);
  });
});
