import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newDatabase } from '../../support/postgres/databases.ts';
import { Service, start } from '../../support/service.ts';

const IMPORTS = 6;

test.each([
  ['SQLite', async () => ({})],
  ['PostgreSQL', async () => ({ DATABASE_URL: await newDatabase() })],
])(
  'when an import into %s ends, a service that runs beside it shows the orders',
  async (_, given) => {
    const env = await given();
    await using service = new Service();
    await service.start(env);
    const file = join(service.folder, 'orders.csv');
    const listed = async () => {
      const { text } = await service.ask('GET', '/v1/store/orders');
      return (JSON.parse(text) as { id: number }[]).map(({ id }) => id);
    };
    expect(await listed()).toEqual([]);
    const expected: number[] = [];
    for (let id = 1; id <= IMPORTS; id++) {
      writeFileSync(file, `id,petId,quantity\n${id},7,1\n`);
      expect(await start(['import', file], service.folder, env).ended()).toBe(0);
      expected.push(id);
      expect(await listed()).toEqual(expected);
    }
  },
);
