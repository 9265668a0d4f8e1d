import { describe, expect, it, test } from 'vitest';
import {
  type Checkpoint,
  verifyCheckpoint,
  verifyConsistency,
  verifyInclusion,
  verifyReceipt,
} from '../../../src/app/audit/proofs/verifier.ts';
import { Prover } from '../../../src/app/audit/proving/prover.ts';
import { now } from '../../../src/app/clock.ts';
import { mintKeyText } from '../../../src/app/keys/api-key.ts';
import { keyRecord } from '../../../src/app/keys/first-key.ts';
import { SCOPES } from '../../../src/app/ports/key-store.ts';
import type { OrderId, PetId } from '../../../src/domain/order-id.ts';
import type { Description } from '../../../src/http/operations/operation.ts';
import { V1 } from '../../../src/http/operations/v1.ts';
import { V2 } from '../../../src/http/operations/v2.ts';
import { openMemoryStore } from '../../../src/infra/memory/store.ts';
import { ask, expectError } from '../../support/http.ts';
import { listening } from '../../support/listening.ts';
import { oneService, placeOrder } from '../../support/one-service.ts';
import { bearer } from '../../support/service.ts';
import { listenerOn } from '../../support/targets.ts';

const { service, beside } = await oneService();
const vkey = (await ask(service.address, 'GET', '/public-key')).text.trim();

async function cancelledOrder() {
  const id = await placeOrder(service);
  const { headers } = await service.ask('DELETE', `/v1/store/orders/${id}`);
  return { id, position: Number(headers['event-position']) };
}

async function checkpoint(): Promise<Checkpoint> {
  const answer = await service.ask('GET', '/v1/store/checkpoint');
  expect(answer).toMatchObject({
    status: 200,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'private, no-cache',
    },
  });
  const verdict = verifyCheckpoint(answer.text, vkey);
  return verdict.ok ? verdict.value : expect.fail(verdict.reason);
}

function hashesIn(text: string): Buffer[] {
  const { proof } = JSON.parse(text) as { proof: readonly string[] };
  return proof.map((hash) => Buffer.from(hash, 'base64'));
}

describe('The log', () => {
  it('is returned signed, with every acknowledged event in it', async () => {
    for (let n = 0; n < 3; n++) {
      const { position } = await cancelledOrder();
      expect((await checkpoint()).size).toBe(position);
    }
    await beside.place([{ id: 4_711n }]);
    expect((await checkpoint()).size).toBe(await beside.head());
  });

  it('returns the same until the next event, and 304 for its ETag', async () => {
    const first = await service.ask('GET', '/v1/store/checkpoint');
    const headers = { 'If-None-Match': String(first.headers.etag) };
    expect(await service.ask('GET', '/v1/store/checkpoint', { headers })).toMatchObject({
      status: 304,
      text: '',
    });
    await placeOrder(service);
    const later = await service.ask('GET', '/v1/store/checkpoint', { headers });
    expect(later.status).toBe(200);
    expect(later.headers.etag).not.toBe(first.headers.etag);
  });

  it('is signed with the same key after a restart', async () => {
    const before = await checkpoint();
    await service.restart();
    expect(await checkpoint()).toEqual(before);
  });

  it('proves that an event is in it', async () => {
    const { position } = await cancelledOrder();
    const head = await checkpoint();
    const answer = await service.ask(
      'GET',
      `/v1/store/proofs/inclusion?position=${position}&size=${head.size}`,
    );
    expect(JSON.parse(answer.text)).toMatchObject({ position, size: head.size });
    const { text } = await service.ask('GET', `/v1/store/events/${position}/receipt`);
    const { record } = JSON.parse(text);
    expect(verifyInclusion(record, position - 1, head, hashesIn(answer.text)).ok).toBe(true);
  });

  it('proves that it begins with its earlier states', async () => {
    const older = await checkpoint();
    await cancelledOrder();
    const newer = await checkpoint();
    const path = `/v1/store/proofs/consistency?from=${older.size}&to=${newer.size}`;
    const { text } = await service.ask('GET', path);
    expect(JSON.parse(text)).toMatchObject({ from: older.size, to: newer.size });
    expect(verifyConsistency(older, newer, hashesIn(text)).ok).toBe(true);
  });

  it.each([
    ['inclusion?position=1&size=99999', /^the log has the size \d+, not yet 99999\.$/],
    ['inclusion?position=0&size=1', /^the log of size 1 has no event at position 0\.$/],
    ['inclusion?position=2&size=1', /^the log of size 1 has no event at position 2\.$/],
    ['inclusion?position=1&size=0', /^the log of size 0 has no event at position 1\.$/],
    ['consistency?from=1&to=99999', /^the log has the size \d+, not yet 99999\.$/],
    ['consistency?from=2&to=1', /^the log of size 1 does not begin with one of 2\.$/],
    ['inclusion?position=1', /^size: must be given once$/],
    ['inclusion?position=1&size=1&size=1', /^size: must be given once$/],
    ['inclusion?position=1&size=-1', /^size: must be a whole number from 0 to 2251799813685247$/],
    ['consistency?from=1e3&to=1', /^from: must be a whole number from 0 to 2251799813685247$/],
    ['consistency?from=0&to=1&x=1', /^"x": unknown parameter$/],
  ])('proves nothing that it does not have: %s', async (query, message) => {
    const answer = await service.ask('GET', `/v1/store/proofs/${query}`);
    expect(expectError(answer, 400, 'invalid_request')).toMatch(message);
  });
});

describe('The receipt of a cancellation', () => {
  it('holds by the public key alone, at once and later', async () => {
    const { id, position } = await cancelledOrder();
    const path = `/v1/store/orders/${id}/receipt`;
    const first = await service.ask('GET', path);
    expect(first.headers['content-type']).toBe('application/json; charset=utf-8');
    await cancelledOrder();
    const later = await service.ask('GET', path);
    expect(later.text).not.toBe(first.text);
    for (const { text } of [first, later]) {
      const verdict = verifyReceipt(text, vkey);
      if (!verdict.ok) expect.fail(verdict.reason);
      expect(verdict.value.position).toBe(position);
      expect(JSON.parse(verdict.value.record)).toMatchObject({
        type: 'OrderCancelled',
        data: { orderId: id },
      });
    }
  });

  it('is available after a second cancellation', async () => {
    const { id, position } = await cancelledOrder();
    const again = await service.ask('DELETE', `/v1/store/orders/${id}`);
    expect(again.headers['event-position']).toBe(String(position));
    expect((await service.ask('GET', `/v1/store/orders/${id}/receipt`)).status).toBe(200);
  });

  it('is not there for an order that is pending, that has shipped, or that there is none of', async () => {
    const id = await placeOrder(service);
    const path = `/v1/store/orders/${id}`;
    const pending = await service.ask('GET', `${path}/receipt`);
    expect(expectError(pending, 404, 'not_found')).toContain('The order is pending');
    await service.send('PUT', `${path}/shipment`, { shipDate: '2026-01-31T12:00:00Z' });
    const shipped = await service.ask('GET', `${path}/receipt`);
    expect(expectError(shipped, 404, 'not_found')).toContain('The order is shipped');
    expectError(await service.ask('GET', '/v1/store/orders/815/receipt'), 404, 'order_not_found');
    expectError(await service.ask('GET', '/v1/store/orders/x/receipt'), 400, 'invalid_request');
  });
});

describe('The receipt of any event', () => {
  it('holds', async () => {
    const verdict = verifyReceipt(
      (await service.ask('GET', '/v1/store/events/1/receipt')).text,
      vkey,
    );
    expect(verdict).toMatchObject({ ok: true, value: { position: 1 } });
  });

  it.each([
    ['0', 404, 'not_found'],
    ['99999', 404, 'not_found'],
    ['4294967295', 404, 'not_found'],
    ['2251799813685248', 400, 'invalid_request'],
    ['01', 400, 'invalid_request'],
    ['-1', 400, 'invalid_request'],
  ] as const)('is not there at %s', async (position, status, code) => {
    const answer = await service.ask('GET', `/v1/store/events/${position}/receipt`);
    expectError(answer, status, code);
  });
});

test.each([
  '/v1/store/checkpoint',
  '/v1/store/proofs/inclusion?position=1&size=1',
  '/v1/store/proofs/consistency?from=0&to=1',
  '/v1/store/orders/1/receipt',
  '/v1/store/events/1/receipt',
])('%s takes a key with the scope audit:read', async (path) => {
  const headers = bearer(await beside.addKey(['orders:read', 'orders:write', 'orders:cancel']));
  expectError(await service.ask('GET', path, { headers }), 403, 'insufficient_scope');
  const auditor = bearer(await beside.addKey(['audit:read']));
  expect((await service.ask('GET', path, { headers: auditor })).status).not.toBe(403);
});

test('a response without an ETag is always sent, and HEAD is answered without it', async () => {
  const path = '/v1/store/events/1/receipt';
  const headers = { 'If-None-Match': '*' };
  const get = await service.ask('GET', path, { headers });
  expect(get.status).toBe(200);
  const head = await service.ask('HEAD', path, { headers });
  expect(head).toMatchObject({ status: 200, text: '' });
  expect(head.headers['content-length']).toBe(String(get.body.length));
});

describe.each([
  ['/v1', V1],
  ['/v2', V2],
])('an alternative of %s is sent to who accepts the type that it has:', (base, operations) => {
  const alternatives = (operations as readonly Description[]).flatMap(({ path, success }) =>
    success.alternative === undefined ? [] : [[path, success.alternative.contentType] as const],
  );

  test.each(alternatives)('%s as %s', async (path, type) => {
    const { id, position } = await cancelledOrder();
    const asked = `${base}${path}`.replace(':orderId', id).replace(':position', `${position}`);
    const typeFor = async (accept: string) => {
      const answer = await service.ask('HEAD', asked, { headers: { Accept: accept } });
      expect(answer.status).toBe(200);
      return String(answer.headers['content-type']);
    };
    const full = await typeFor(type);
    expect(full).toMatch(new RegExp(`^${type};`));
    for (const accept of [full, `${type};charset=UTF-8`, `${full};q=0.2, */*;q=0.1`]) {
      expect(await typeFor(accept)).toBe(full);
    }
  });
});

test('the public key is public, and nothing secret is', async () => {
  const answer = await ask(service.address, 'GET', '/public-key');
  expect(answer).toMatchObject({
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  });
  expect(answer.text).toMatch(/^store-orders\/[0-9a-f]{16}\+[0-9a-f]{8}\+[\w+/]{44}\n$/);
});

test('without a signing key, only proofs are available', async () => {
  const store = await openMemoryStore();
  const { address } = await listening(listenerOn(store, new Prover(store.trail, undefined)));
  const key = mintKeyText();
  await store.keys.add(keyRecord(key, { name: 'test', scopes: SCOPES, createdAt: now() }));
  const orderId = 1n as OrderId;
  for (const command of [
    { type: 'PlaceOrder', orderId, petId: 7n as PetId, quantity: 1 } as const,
    { type: 'CancelOrder', orderId } as const,
  ]) {
    await store.writer.execute([{ command, by: 'test', commandId: 'c' }]);
  }
  for (const path of [
    '/public-key',
    '/v1/store/checkpoint',
    '/v1/store/orders/1/receipt',
    '/v1/store/events/1/receipt',
  ]) {
    const answer = await ask(address, 'GET', path, { headers: bearer(key) });
    const message = expectError(answer, 404, 'not_found');
    expect(message).toBe('there is no key to sign with: SIGNING_KEY_FILE names none.');
  }
  const proof = '/v1/store/proofs/inclusion?position=1&size=2';
  expect((await ask(address, 'GET', proof, { headers: bearer(key) })).status).toBe(200);
});
