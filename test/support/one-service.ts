import { afterAll } from 'vitest';
import { Beside } from './beside.ts';
import { type Environment, Service } from './service.ts';

/** Starts one service for all tests of a file, with access to the same database beside it. */
export async function oneService(env: Environment = {}) {
  const service = await Service.start(env);
  const beside = new Beside(service.databaseFile);
  afterAll(async () => {
    await beside[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });
  return { service, beside };
}

/** Places an order and returns its id. */
export async function placeOrder(service: Service, order: object = {}): Promise<string> {
  const answer = await service.send('POST', '/v1/store/orders', {
    petId: 7,
    quantity: 1,
    ...order,
  });
  const id = /^\/v1\/store\/orders\/(\d+)$/.exec(String(answer.headers.location))?.[1];
  if (answer.status !== 201 || id === undefined) throw new Error(`not placed: ${answer.text}`);
  return id;
}
