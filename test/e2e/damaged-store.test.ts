import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { expectError } from '../support/http.ts';
import { Service, start } from '../support/service.ts';

const LIST = '/v1/store/orders';

/** Changes one bit where the file says that a pet's id is 1016. */
function flipPetId(file: string): void {
  const bytes = readFileSync(file);
  const at = bytes.indexOf('"petId":"1016"');
  expect(at).toBeGreaterThan(0);
  // A 1 becomes a 3.
  bytes.writeUInt8(bytes.readUInt8(at + 11) ^ 2, at + 11);
  writeFileSync(file, bytes);
}

async function storeOf3(): Promise<Service> {
  const service = await Service.start();
  for (const petId of [1015, 1016, 1017]) await service.send('POST', LIST, { petId, quantity: 1 });
  return service;
}

it('A flipped bit refuses the start, which names the events', async () => {
  await using service = await storeOf3();
  await service.program.end();
  flipPetId(service.databaseFile);
  await using program = start(['serve'], service.folder, { PORT: '0' });
  expect(await program.ended()).toBe(1);
  expect(program.stderr).toMatch(/^store-orders: events \d to \d are not what was recorded/);
  expect(program.log).toContainEqual(
    expect.objectContaining({ level: 60, reason: 'store_damaged' }),
  );
});

it('A bit that is flipped while it runs ends its readiness, and all answers', async () => {
  await using service = await storeOf3();
  // Everything is in the one file then.
  await service.restart();
  flipPetId(service.databaseFile);
  const line = await service.program.until(({ log }) => log.find(({ level }) => level === 60));
  expect(line).toMatchObject({ reason: 'store_damaged', cause: /not what was recorded/ });
  const ready = await service.ask('GET', '/readyz');
  expectError(ready, 503, 'service_unavailable');
  expect(String(ready.body)).toContain('store_damaged');
  expectError(await service.ask('GET', LIST), 503, 'service_unavailable');
  const order = { petId: 1, quantity: 1 };
  expectError(await service.send('POST', LIST, order), 503, 'service_unavailable');
  await setTimeout(200);
  expect(service.program.log.filter(({ level }) => level === 60)).toHaveLength(1);
}, 60_000);
