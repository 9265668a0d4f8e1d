import { expect, it } from 'vitest';
import { AlteredSchema, DamagedStore } from '../../../../src/app/ports/store.ts';
import {
  type FromCheck,
  keepChecking,
  paceOf,
} from '../../../../src/infra/checking/keep-checking.ts';
import { decodeRefusal, encodeRefusal } from '../../../../src/infra/events/refusal-codec.ts';
import { NOON } from '../../../support/events.ts';

/** Lets rounds come to such ends, one after the other, and tells what was said. */
async function saidAfter(
  ends: readonly (Error | undefined)[],
  bytesPerSecond = 1,
): Promise<FromCheck[]> {
  const said: FromCheck[] = [];
  const left = [...ends];
  const check = async () => {
    const end = left.shift();
    if (end !== undefined) throw end;
  };
  await keepChecking(check, bytesPerSecond, (message) => said.push(message), 1);
  expect(left).toEqual([]);
  return said;
}

const damage = new DamagedStore('event 7');

it('reports once that everything was checked, and continues until it finds damage', async () => {
  expect(await saidAfter([undefined, undefined, undefined, damage])).toEqual([
    { kind: 'checked' },
    { kind: 'damaged', message: 'event 7' },
  ]);
});

it('retries a failed round', async () => {
  expect(await saidAfter([new Error('no disk'), undefined, damage])).toEqual([
    { kind: 'failed', message: 'no disk' },
    { kind: 'checked' },
    { kind: 'damaged', message: 'event 7' },
  ]);
});

it('continues while the schema is altered, and reports that it no longer is', async () => {
  const altered = new AlteredSchema('no trigger');
  const [said, checked] = [{ kind: 'altered', message: 'no trigger' }, { kind: 'checked' }];
  expect(await saidAfter([undefined, altered, altered, undefined, undefined, damage])).toEqual([
    checked,
    said,
    said,
    checked,
    { kind: 'damaged', message: 'event 7' },
  ]);
  expect(await saidAfter([altered, undefined], 0)).toEqual([said, checked]);
});

it('checks once without a rate', async () => {
  expect(await saidAfter([undefined], 0)).toEqual([{ kind: 'checked' }]);
});

it('reads no faster than it may', async () => {
  const pace = paceOf(1_000_000);
  const begun = performance.now();
  for (let read = 0; read < 10; read++) await pace(20_000);
  expect(performance.now() - begun).toBeGreaterThan(150);
});

it('a refusal is read as it was recorded, or not at all', () => {
  const record = { at: NOON, code: 'unauthorized', method: 'GET', path: '/ä', requestId: 'r' };
  const text = encodeRefusal(record);
  expect(decodeRefusal(1, text)).toEqual(record);
  expect(decodeRefusal(1, JSON.stringify(record))).toEqual(record);
  const bytes = Buffer.from(text);
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Buffer.from(bytes);
    flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    expect(() => decodeRefusal(1, flipped.toString())).toThrow(DamagedStore);
  }
  expect(() => decodeRefusal(1, bytes)).toThrow(DamagedStore);
  expect(() => decodeRefusal(3, '{"at":')).toThrow('the refusal at position 3 is not as it was');
});
