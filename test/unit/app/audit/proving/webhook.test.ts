import { createPublicKey, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { verifyCheckpoint } from '../../../../../src/app/audit/proofs/verifier.ts';
import { NoteSigner } from '../../../../../src/app/audit/proving/checkpoint.ts';
import {
  webhookHeaders,
  webhookIdOf,
  webhookKeyOf,
} from '../../../../../src/app/audit/proving/webhook.ts';

// The seed of RFC 8032, section 7.1, test 1, and its public key.
const SEED = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
const PUBLIC = Buffer.from(
  'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
  'hex',
);

const signer = new NoteSigner('store-orders/shop', SEED);
const EVENT = {
  source: '/store-orders/fb4b',
  id: '42',
  time: '2026-01-01T00:00:00Z',
  commandid: 'c',
};

describe('the headers of a post', () => {
  const body = '{"a":"."}';
  const headers = webhookHeaders('evt_42', 1_767_225_600, body, signer);

  it('are those of Standard Webhooks', () => {
    expect(headers).toEqual({
      'webhook-id': 'evt_42',
      'webhook-timestamp': '1767225600',
      'webhook-signature': expect.stringMatching(/^v1a,[A-Za-z0-9+/]{86}==$/),
    });
  });

  it('have a signature of id, time and body that the public key verifies', () => {
    const [, signature = ''] = headers['webhook-signature']?.split(',') ?? [];
    const x = PUBLIC.toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    const verifies = (text: string) =>
      verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'));
    expect(verifies(`evt_42.1767225600.${body}`)).toBe(true);
    for (const text of [
      `evt_43.1767225600.${body}`,
      `evt_42.1767225601.${body}`,
      'evt_42.1767225600.',
    ]) {
      expect(verifies(text)).toBe(false);
    }
  });

  it('have none without a key', () => {
    expect(webhookHeaders('evt_42', 1, body, undefined)).toEqual({
      'webhook-id': 'evt_42',
      'webhook-timestamp': '1',
    });
  });
});

describe('a signature', () => {
  it('of a post is never one of a note, nor the other way round', () => {
    const note = signer.signCheckpoint(1, Buffer.alloc(32));
    const text = note.slice(0, note.indexOf('\n\n') + 1);
    expect(() => signer.signMessage(text)).toThrow(RangeError);
    const forged = `${text}\n— ${signer.name} ${signer.signMessage(text.trimEnd()).toString('base64')}\n`;
    expect(verifyCheckpoint(note, signer.verifierKey).ok).toBe(true);
    expect(verifyCheckpoint(forged, signer.verifierKey).ok).toBe(false);
  });
});

describe('the id of a post', () => {
  it('is the same for each attempt, without a full stop', () => {
    expect(webhookIdOf(EVENT)).toBe(webhookIdOf({ ...EVENT }));
    expect(webhookIdOf(EVENT)).toMatch(/^evt_42_[0-9a-f]{16}$/);
    expect(webhookIdOf({ ...EVENT, id: '1.ab:42' })).toMatch(/^evt_1_ab_42_[0-9a-f]{16}$/);
  });

  it.each([
    { source: '/store-orders/other' },
    { time: '2026-01-01T00:00:01Z' },
    { commandid: 'd' },
  ])('is another one with %j', (change) => {
    expect(webhookIdOf({ ...EVENT, ...change })).not.toBe(webhookIdOf(EVENT));
  });
});

describe('the public key', () => {
  it('has the form of Standard Webhooks', () => {
    expect(webhookKeyOf(signer.verifierKey)).toBe(`whpk_${PUBLIC.toString('base64')}`);
  });

  it('may have plus signs in its base64 text', () => {
    const withPlus = Array.from({ length: 100 }, () => NoteSigner.generate('shop')).find(
      ({ verifierKey }) => verifierKey.split('+').length > 3,
    );
    const key = webhookKeyOf(withPlus?.verifierKey ?? '');
    expect(Buffer.from(key.slice('whpk_'.length), 'base64')).toHaveLength(32);
  });
});
