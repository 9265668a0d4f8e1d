import { describe, expect, it } from 'vitest';
import {
  reasonAgainstSecondList,
  requireMemory,
} from '../../../../src/app/lifecycle/memory-check.ts';
import { UserError } from '../../../../src/app/lifecycle/user-error.ts';

const MIB_BYTES = 1_048_576;
const TEXT_BYTES = 256 * MIB_BYTES;

describe('A start on a log with so many events, with so much memory,', () => {
  it.each([
    [0, 152],
    [0, 0],
    [100_000, 168],
    [1_333_334, 512],
    // A million orders, each with two events.
    [2_000_000, 512],
    // Three million orders, whose text is bounded.
    [4_500_000, 560],
    [4_000_000_000, 0],
  ])('is tried: %i events, %i MiB', (events, limit) => {
    expect(() => requireMemory(events, TEXT_BYTES, limit * MIB_BYTES)).not.toThrow();
  });

  it.each([
    [0, 151],
    [160_000, 168],
    [1_000_000, 256],
    [4_000_000, 512],
  ])('is refused: %i events, %i MiB', (events, limit) => {
    expect(() => requireMemory(events, TEXT_BYTES, limit * MIB_BYTES)).toThrow(UserError);
  });

  it('needs less if less text of the list is kept', () => {
    expect(() => requireMemory(1_000_000, 0, 256 * MIB_BYTES)).not.toThrow();
    expect(() => requireMemory(4_500_000, 4 * TEXT_BYTES, 560 * MIB_BYTES)).toThrow(UserError);
  });

  it('is refused in a sentence with both figures', () => {
    expect(() => requireMemory(1_000_000, TEXT_BYTES, 256 * MIB_BYTES)).toThrow(
      'the store has 1000000 events and needs at least 270 MB of memory, and this process may use ' +
        '269 MB: raise the memory limit of its container or service',
    );
  });

  it('uses the limit of this process, which is enough for an empty store', () => {
    expect(() => requireMemory(0, TEXT_BYTES)).not.toThrow();
  });
});

describe('A second list beside the first', () => {
  it.each([
    [0, 512, 511],
    [1_000_000, 512, 300],
    [4_000_000_000, 0, 4_000],
    // With all the memory that it may take.
    [163_840, 125, 100],
  ])('is made: %i events, within %i MiB, of which %i are used', (events, limit, used) => {
    expect(reasonAgainstSecondList(events, limit * MIB_BYTES, used * MIB_BYTES)).toBeUndefined();
  });

  it('is not made without the memory for it, with a reason', () => {
    const reason = reasonAgainstSecondList(1_500_000, 512 * MIB_BYTES, 400 * MIB_BYTES);
    expect(reason?.message).toBe(
      'that takes up to 660 MB of memory while commands are served, and this process may use 537 MB: it ' +
        'is saved at a stop only',
    );
  });

  it('may be made of an empty store', () => {
    expect(reasonAgainstSecondList(0)).toBeUndefined();
  });
});
