import { closeSync, openSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { partsOf, SnapshotReader } from '../../../../src/infra/snapshot/snapshot-layout.ts';
import { temporaryFile } from '../../../support/folder.ts';
import { runs } from '../../../support/nightly.ts';

const PIECE_BYTES = 1_048_576;

interface Columns {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly none: Uint32Array<ArrayBuffer>;
}

/** Arrays whose entries all differ, and whose pieces begin in the middle of entries. */
function columns(size: number): Columns {
  return {
    name: 'columns',
    bytes: Uint8Array.from({ length: size }, (_, n) => (n * 7) % 251),
    numbers: Float64Array.from({ length: size }, (_, n) => n / 3),
    none: new Uint32Array(0),
  };
}

const KEY = Buffer.from('a key');

function written(value: object): { readonly file: string; readonly bytes: Buffer } {
  const file = temporaryFile();
  const parts = partsOf(value, KEY).map(({ buffer, byteOffset, byteLength }) =>
    Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength),
  );
  const bytes = Buffer.concat(parts);
  writeFileSync(file, bytes);
  return { file, bytes };
}

function opened(file: string): SnapshotReader | undefined {
  const fd = openSync(file, 'r');
  onTestFinished(() => closeSync(fd));
  return SnapshotReader.open(fd);
}

describe('the layout of a snapshot', () => {
  it('is sealed with the key that it was written with, and with no other', () => {
    const reader = opened(written(columns(9)).file);
    expect(reader?.isSealedWith(KEY)).toBe(true);
    for (const other of [Buffer.from('another key'), KEY.subarray(1), new Uint8Array()]) {
      expect(reader?.isSealedWith(other)).toBe(false);
    }
  });

  it.each([0, 1, PIECE_BYTES / 9, PIECE_BYTES, 500_003])('holds arrays of %d entries', (size) => {
    const value = columns(Math.floor(size));
    expect(opened(written(value).file)?.whole()).toEqual(value);
  });

  it('is read in part, from any entry to any other', () => {
    const value = columns(500_003);
    const reader = opened(written(value).file);
    fc.assert(
      fc.property(fc.nat(500_003), fc.nat(500_003), (one, other) => {
        const [from, to] = [Math.min(one, other), Math.max(one, other)];
        const partly = reader?.partly() as ReturnType<SnapshotReader['partly']>;
        const { bytes, numbers } = partly.value as Columns;
        expect(partly.fill(numbers, from, to)).toBe(true);
        expect(numbers.slice(from, to)).toEqual(value.numbers.slice(from, to));
        expect([numbers[from - 1] ?? 0, numbers[to] ?? 0, bytes[from] ?? 0]).toEqual([0, 0, 0]);
      }),
      { numRuns: runs(20) },
    );
  });

  it('is damaged as a whole by a bit, and in part only where that is', async () => {
    const value = columns(500_003);
    const { file, bytes } = written(value);
    const last = bytes.length - 1;
    writeFileSync(file, bytes.with(last, (bytes[last] as number) ^ 1));
    const reader = opened(file) as SnapshotReader;
    expect(reader.whole()).toBeUndefined();
    expect(await reader.check(async () => {})).toBe(false);
    const partly = reader.partly();
    const { numbers } = partly.value as Columns;
    expect(partly.fill(numbers, 0, 1)).toBe(true);
    expect(partly.fill(numbers, 500_002)).toBe(false);
    expect(partly.fill(numbers)).toBe(false);
  });

  it('is no snapshot if it ends early, or goes on', () => {
    const { file, bytes } = written(columns(500_003));
    for (const length of [0, 31, 39, 100, PIECE_BYTES]) {
      writeFileSync(file, bytes.subarray(0, length));
      expect(opened(file)).toBeUndefined();
    }
    writeFileSync(file, Buffer.concat([bytes, Buffer.alloc(PIECE_BYTES)]));
    expect(opened(file)).toBeUndefined();
    writeFileSync(file, Buffer.concat([bytes, Buffer.alloc(1)]));
    expect(opened(file)?.whole()).toBeUndefined();
  });
});
