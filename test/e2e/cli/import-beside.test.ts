import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EventSource } from '../../support/event-source.ts';
import { newDatabase } from '../../support/postgres/databases.ts';
import { type Environment, Service, start } from '../../support/service.ts';

const IMPORTS = 6;

const ENGINES: readonly [name: string, given: () => Promise<Environment>][] = [
  ['SQLite', async () => ({})],
  ['PostgreSQL', async () => ({ DATABASE_URL: await newDatabase() })],
];

test.each(ENGINES)(
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

/** Reads that name an event, by its position or its order. Each resolves with the response's status. */
const READS: readonly [
  name: string,
  ask: (service: Service, position: number, id: number) => Promise<number | undefined>,
][] = [
  ['the next poll', (service, position) => statusOf(service, `events?after=${position}`)],
  ['the order', (service, _, id) => statusOf(service, `orders/${id}`)],
  ['the list as of then', (service, position) => statusOf(service, `orders?asOf=${position}`)],
  [
    'the continued stream',
    async (service, position) => {
      const stream = new EventSource(service.key);
      stream.lastEventId = String(position);
      const { statusCode } = await stream.open(service.address);
      stream.cut();
      return statusCode;
    },
  ],
];

async function statusOf(service: Service, path: string): Promise<number> {
  return (await service.ask('GET', `/v2/store/${path}`)).status;
}

test.each(ENGINES)(
  'a client that has read an event of an import into %s finds it in every other answer',
  async (_, given) => {
    const env = await given();
    await using service = new Service();
    await service.start(env);
    const file = join(service.folder, 'orders.csv');
    let end = 0;
    for (let id = 1; id <= IMPORTS; id++) {
      writeFileSync(file, `id,petId,quantity\n${id},7,1\n`);
      const importing = start(['import', file], service.folder, env);
      // The client is the first to notice the event, while the import still runs.
      const before = end;
      while (end === before) {
        const { status, text } = await service.ask('GET', `/v2/store/events?after=${end}`);
        expect(status, text).toBe(200);
        end = (JSON.parse(text) as { position: number }[]).at(-1)?.position ?? end;
      }
      // A different one each time, because an answer may make a later one right.
      const [name, ask] = READS[id % READS.length] as (typeof READS)[number];
      expect([name, await ask(service, end, id)]).toEqual([name, 200]);
      expect(await importing.ended()).toBe(0);
    }
  },
);
